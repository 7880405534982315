/** Which fill-in-the-middle template a model is served with. */
import type { FimTemplate } from './fim.ts';
import { allMarkers, FIM_FAMILIES, requiredMarkers, type FimFamily, type FimOrder } from './fimFamilies.ts';

const GENERAL_CHOICES = ['auto', 'none', 'psm', 'spm'] as const;

/**
 * What a user can set: `auto`, the markers decide; `none`, the prefix alone is shown; an order, where a model was
 * trained on another than its family; or a family.
 */
export const FIM_CHOICES: readonly string[] = [
  ...GENERAL_CHOICES,
  ...FIM_FAMILIES.map((family) => family.name),
];

/**
 * The template of a model, or null when it is to be shown the prefix alone: because its vocabulary has no complete set
 * of markers, or because `choice` says so.
 *
 * @param vocabulary every token of the model as its file spells it. Not the special ones alone: files list markers as
 *   normal tokens too, and llama.cpp treats those spellings as markers whatever their type.
 * @param order value of `hone.fim.order` in the model file; without it the family's own order is taken.
 * @param choice one of `FIM_CHOICES` with which `fimChoiceProblem` found nothing wrong.
 */
export function chooseFimTemplate(
  vocabulary: ReadonlySet<string>,
  order: string | null | undefined,
  choice = 'auto',
): FimTemplate | null {
  const family = familyOf(vocabulary, choice);
  if (family === undefined) return null;
  const wanted = isOrder(choice) ? choice : order;
  const has = (marker: string | null) => marker !== null && vocabulary.has(marker);
  const file = has(family.file) ? family.file : null;
  return {
    family: family.name,
    order: family.middle === null ? 'spm' : isOrder(wanted) ? wanted : 'psm',
    prefix: family.prefix,
    suffix: family.suffix,
    middle: family.middle,
    layout: family.file !== null && file === null ? 'none' : family.layout,
    file,
    repo: has(family.repo) ? family.repo : null,
    repoEnd: family.repoEnd,
    lead: family.lead,
    markers: allMarkers(family).filter(has),
  };
}

/** Why a choice can't be had with a vocabulary, as a sentence; null when it can. */
export function fimChoiceProblem(vocabulary: ReadonlySet<string>, choice: string): string | null {
  const family = familyOf(vocabulary, choice);
  if (isOrder(choice)) {
    if (family === undefined) return `it has no fill-in-the-middle markers that an order could be chosen for`;
    if (family.middle !== null) return null;
    return `the template ${family.name} has no middle marker, so that its order can't be chosen`;
  }
  const named = FIM_FAMILIES.find((candidate) => candidate.name === choice);
  if (named === undefined || family !== undefined) return null;
  const missing = requiredMarkers(named).filter((marker) => !vocabulary.has(marker));
  return `its vocabulary has no ${missing.join(', ')}`;
}

function familyOf(vocabulary: ReadonlySet<string>, choice: string): FimFamily | undefined {
  if (choice === 'none') return undefined;
  const candidates = (GENERAL_CHOICES as readonly string[]).includes(choice)
    ? FIM_FAMILIES
    : FIM_FAMILIES.filter((family) => family.name === choice);
  return candidates.find((family) => requiredMarkers(family).every((marker) => vocabulary.has(marker)));
}

function isOrder(value: string | null | undefined): value is FimOrder {
  return value === 'psm' || value === 'spm';
}
