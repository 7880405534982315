/** A feature's weight before anything is known of the developer. */
export interface Prior {
  /** Logit a unit. */
  weight: number;
  /** How far the developer's own weight may well be from it, as a standard deviation. */
  deviation: number;
  /** Why this sign and size. */
  reason: string;
}

/** Of what is known before a suggestion is made. The order of the names is that of the vectors. */
export const BEFORE_PRIORS = {
  always: {
    weight: -0.85,
    deviation: 0.7,
    reason: 'Three in ten suggestions are taken, as others report of line completion.',
  },
  lineStart: {
    weight: -0.2,
    deviation: 0.4,
    reason: 'A whole line has more to get wrong than the rest of one.',
  },
  insideWord: {
    weight: 0.1,
    deviation: 0.4,
    reason: 'The beginning of a word says which it is, though a pause in it is seldom.',
  },
  afterMember: {
    weight: 0.2,
    deviation: 0.4,
    reason: 'Behind a dot only members are right, and most stand in the file already.',
  },
  afterOpener: {
    weight: 0,
    deviation: 0.4,
    reason: 'Arguments can be obvious or anything; the developer tells.',
  },
  closersRight: {
    weight: 0.1,
    deviation: 0.4,
    reason: 'A closing bracket right of the caret says where the text ends.',
  },
  textRight: {
    weight: -0.6,
    deviation: 0.5,
    reason: 'In front of other text one changes a line and does not write a new one.',
  },
  comment: {
    weight: -0.6,
    deviation: 0.5,
    reason: 'Prose has no grammar to hold on to; small models guess it badly.',
  },
  otherLanguage: {
    weight: -0.4,
    deviation: 0.5,
    reason: 'The embedded model knows little outside JavaScript, TypeScript and Python.',
  },
  longPrefix: {
    weight: 0.15,
    deviation: 0.3,
    reason: 'More of the file in front tells more names. Ten times the text is one unit.',
  },
  longSuffix: {
    weight: 0,
    deviation: 0.3,
    reason: 'Text below tells names, and that old code is edited; which weighs more is personal.',
  },
  pause: {
    weight: -0.1,
    deviation: 0.2,
    reason: 'After a long pause something else is begun. Ten times the seconds is one unit.',
  },
  previous: {
    weight: 0.4,
    deviation: 0.4,
    reason: 'What is easy comes in runs: the last suggestion that was judged, taken or not.',
  },
  recent: {
    weight: 1.5,
    deviation: 1,
    reason: 'The developer takes more or less than others: the share of the last twenty judged.',
  },
  recentWorkspace: {
    weight: 0.5,
    deviation: 1,
    reason: 'The same in this workspace; in a single one it says nothing new.',
  },
} satisfies Record<string, Prior>;

/** Of what is known after it was made, beside all the above. */
export const AFTER_PRIORS = {
  sumLogprob: {
    weight: 0.15,
    deviation: 0.12,
    reason:
      'The chance that the whole text is what the model would write again; half right is worth something too.',
  },
  meanLogprob: {
    weight: 0.3,
    deviation: 0.5,
    reason: 'Sureness a token is what fixed thresholds take; the sum says most of it already.',
  },
  minLogprob: {
    weight: 0.1,
    deviation: 0.2,
    reason: 'One doubtful token, most often a name, makes the rest wrong.',
  },
  beginning: {
    weight: 0.2,
    deviation: 0.2,
    reason: 'A wrong beginning is seen at once, and nothing of it can be taken: the first three tokens.',
  },
  length: {
    weight: -0.1,
    deviation: 0.3,
    reason: 'A longer text has more to get wrong beyond what its tokens tell. e times the text is one unit.',
  },
  moreLines: {
    weight: -0.3,
    deviation: 0.4,
    reason: 'A second line must be right too, and is read less gladly.',
  },
  cut: {
    weight: -0.3,
    deviation: 0.4,
    reason: 'A text that did not come to an end by itself rambles.',
  },
  standsThere: {
    weight: 0.5,
    deviation: 0.5,
    reason: 'Code repeats itself: the whole text stands in the prompt before the caret.',
  },
  knownWords: {
    weight: 0.8,
    deviation: 0.5,
    reason: 'Small models invent names: the share of its words that stand in the prompt.',
  },
  noWords: {
    weight: -0.2,
    deviation: 0.5,
    reason: 'Brackets alone are typed as fast as they are read.',
  },
} satisfies Record<string, Prior>;

export type BeforeFeature = keyof typeof BEFORE_PRIORS;
export type AfterFeature = keyof typeof AFTER_PRIORS;
