import {
  languages,
  type Disposable,
  type DocumentSelector,
  type ExtensionContext,
  type InlineCompletionItem,
  type InlineCompletionItemProvider,
} from 'vscode';
import type { Log } from '../node/keptLog.ts';

/** The proposal that tells about display and end of life; see `enabledApiProposals` in package.json. */
const PROPOSAL = 'inlineCompletionsAdditions';

/** As declared in the proposal; nothing of it is in the stable API. */
export interface EndOfLife {
  /** 0 accepted, 1 rejected, 2 ignored. */
  kind: 0 | 1 | 2;
  userTypingDisagreed?: boolean;
}

export interface DisplayListener {
  shown(item: InlineCompletionItem): void;
  ended(item: InlineCompletionItem, reason: EndOfLife): void;
}

/**
 * Registers the provider, with the proposal's events where the editor lets this extension use them. A stable
 * editor lists no proposal for the extension and throws on a provider that has such members; then the provider is
 * registered without them.
 */
export function registerProvider(
  context: ExtensionContext,
  selector: DocumentSelector,
  provider: InlineCompletionItemProvider,
  listener: DisplayListener | null,
  log: Log,
): Disposable {
  const manifest = context.extension.packageJSON as { enabledApiProposals?: string[] };
  if (listener && manifest.enabledApiProposals?.includes(PROPOSAL)) {
    const withEvents = {
      provideInlineCompletionItems: provider.provideInlineCompletionItems.bind(provider),
      handleDidShowCompletionItem: (item: InlineCompletionItem) => listener.shown(item),
      handleEndOfLifetime: (item: InlineCompletionItem, reason: EndOfLife) => listener.ended(item, reason),
    };
    try {
      const registration = languages.registerInlineCompletionItemProvider(selector, withEvents);
      log.info(`Display events of the editor are on (${PROPOSAL}).`);
      return registration;
    } catch (error) {
      log.debug(`No display events: ${(error as Error).message.split('\n', 1)[0]}`);
    }
  }
  return languages.registerInlineCompletionItemProvider(selector, provider);
}
