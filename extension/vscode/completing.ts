import { v7 as newId } from 'uuid';
import { commands, Disposable, type ExtensionContext } from 'vscode';
import { TypeThroughCache } from '../common/cache/typeThroughCache.ts';
import type { DataScope } from '../common/contracts/data.ts';
import { ACCEPTED_COMMAND, type Settings } from '../common/contributions.ts';
import { SuggestionFollower } from '../common/suggestion/follower.ts';
import type { Backend } from '../node/backend.ts';
import { ContextThread } from '../node/contextThread.ts';
import { Grammars } from '../node/grammars.ts';
import type { Log } from '../node/keptLog.ts';
import type { Paths } from '../node/paths.ts';
import { Capture } from './capture.ts';
import { showContext } from './contextKeys.ts';
import { displayListener } from './displayListener.ts';
import { PlaceContext } from './placeContext.ts';
import { workspaceKeyIn, type Policy } from './policy.ts';
import { PromptExplainer } from './promptExplainer.ts';
import { registerProvider } from './proposed.ts';
import { HoneProvider } from './provider.ts';
import { ReadAhead } from './readAhead.ts';
import { WorkspaceFeed } from './workspaceFeed.ts';

interface CompletingOptions {
  context: ExtensionContext;
  paths: Paths;
  /** Id of this window. */
  session: string;
  settings: () => Settings;
  policy: Policy;
  backend: Backend;
  log: Log;
}

/** Everything that offers suggestions in this window and watches what becomes of them, connected. */
export class Completing implements Disposable {
  readonly cache = new TypeThroughCache();
  readonly capture: Capture;
  readonly explainer: PromptExplainer;
  readonly #options: CompletingOptions;
  readonly #provider: HoneProvider;
  readonly #readAhead: ReadAhead;
  readonly #thread: ContextThread;
  readonly #feed: WorkspaceFeed;
  readonly #placeContext: PlaceContext;
  readonly #registered: Disposable;

  constructor(options: CompletingOptions) {
    const { context, paths, session, settings, policy, backend, log } = options;
    const { cache } = this;
    const grammars = new Grammars(context.asAbsolutePath('dist/extension.cjs'), (message) =>
      log.warn(message),
    );
    this.#options = options;
    this.capture = new Capture(
      new SuggestionFollower(newId, cache),
      (events) => void backend.add(events),
      (document, chars) => {
        if (policy.mayRecord() && policy.mayComplete(document)) backend.wrote(chars);
      },
    );
    this.#thread = new ContextThread({
      script: paths.contextWorker,
      log: (level, text) => log[level](text),
    });
    this.#feed = new WorkspaceFeed({ settings, policy, thread: this.#thread });
    this.#placeContext = new PlaceContext({
      settings,
      policy,
      thread: this.#thread,
      recent: () => this.#feed.recent,
    });
    this.explainer = new PromptExplainer(policy, this.#placeContext);
    const shared = {
      policy,
      client: () => backend.client,
      cache,
      context: this.#placeContext,
      session,
      workspaceKey: workspaceKeyIn,
      log,
    };
    this.#provider = new HoneProvider({
      ...shared,
      settings,
      capture: this.capture,
      syntaxOf: (languageId) => grammars.syntaxOf(languageId),
      record: (completion) => backend.record(completion),
    });
    this.#readAhead = new ReadAhead({ ...shared, enabled: () => settings().readAhead });
    const listener = settings().useProposedApi ? displayListener(this.#provider, this.capture) : null;
    this.#registered = Disposable.from(
      registerProvider(context, { pattern: '**' }, this.#provider, listener, log),
      commands.registerCommand(ACCEPTED_COMMAND, (id: string) => {
        this.capture.accepted(id);
        showContext('taken', true);
        cache.forget(id);
      }),
    );
  }

  /** Another adapter, model or template may serve from now on: what an earlier one wrote isn't offered any more. */
  changeServed(): void {
    const { training, served } = this.#options.backend;
    if (training) this.cache.serve({ adapterVersion: training.adapterVersion });
    if (served) this.cache.serve(served);
  }

  /** What may be recorded has changed: what is open is forgotten. */
  changeTracking(): void {
    const { policy, backend } = this.#options;
    this.#provider.forget();
    this.#readAhead.stop();
    this.capture.restart(policy.mayRecord());
    backend.changeTracking(policy.mayRecord());
  }

  /** What is in this window's memory of a scope goes: what is open is forgotten, unless it is about one suggestion. */
  forgetData(scope: DataScope): void {
    if (scope.kind === 'event') return this.cache.forget(scope.id);
    this.#provider.forget();
    this.capture.restart(this.#options.policy.mayRecord());
  }

  /** Suggestions are made in another way now: none of the earlier ones is offered. */
  changeShape(): void {
    this.#provider.forget();
    this.#readAhead.stop();
    this.cache.clear();
  }

  /** What may be in the index of the workspace's files has changed. */
  indexAnew(): void {
    this.#placeContext.forget();
    this.#feed.restart();
  }

  /** The window closes: what is open is settled. */
  shutdown(): void {
    this.capture.shutdown();
    this.#thread.close();
  }

  dispose(): void {
    const { capture, explainer } = this;
    const parts = [this.#registered, this.#readAhead, capture, this.#feed, this.#placeContext, explainer];
    for (const part of parts) part.dispose();
  }
}
