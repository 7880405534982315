/** Composition root: makes the parts and connects them. */
import { v7 as newId } from 'uuid';
import { window, workspace, type ExtensionContext } from 'vscode';
import { TypeThroughCache } from './common/cache/typeThroughCache.ts';
import { SuggestionFollower } from './common/suggestion/follower.ts';
import { Backend } from './node/backend.ts';
import { ContextThread } from './node/contextThread.ts';
import { Grammars } from './node/grammars.ts';
import { pathsIn } from './node/paths.ts';
import { workspaceKeyOf } from './node/workspaceKey.ts';
import { Capture } from './vscode/capture.ts';
import { registerCommands } from './vscode/commands.ts';
import { CurrentSettings, needsNewIndex, needsRestart } from './vscode/currentSettings.ts';
import { displayListener } from './vscode/displayListener.ts';
import { PlaceContext } from './vscode/placeContext.ts';
import { Policy, watchIgnoreFiles } from './vscode/policy.ts';
import { PromptExplainer } from './vscode/promptExplainer.ts';
import { registerProvider } from './vscode/proposed.ts';
import { HoneProvider } from './vscode/provider.ts';
import { situationOf, statusPageData } from './vscode/situation.ts';
import { StatusBar } from './vscode/statusBar.ts';
import { StatusPanel } from './vscode/statusPanel.ts';
import { WorkspaceFeed } from './vscode/workspaceFeed.ts';

/** Ends what runs; set by `activate`. */
let close: () => Promise<void> = async () => undefined;

/** What other code of the same editor, tests above all, may ask. */
interface HoneApi {
  /** Folder of everything that the extension and its companion write. */
  storage: string;
  /** Address of the companion's completions, or null while none is ready. */
  companion(): string | null;
}

/** Called by the editor once. Resolves when the provider is registered; the companion may still be starting. */
export async function activate(context: ExtensionContext): Promise<HoneApi> {
  const began = Date.now();
  const log = window.createOutputChannel('Hone', { log: true });
  const settings = new CurrentSettings(log);
  const statusBar = new StatusBar();
  const paths = pathsIn(context.globalStorageUri.fsPath, context.asAbsolutePath('dist'), process.env);
  const session = newId();
  const policy = new Policy(() => settings.value);
  const cache = new TypeThroughCache();
  const grammars = new Grammars(context.asAbsolutePath('dist/extension.cjs'), (message) => log.warn(message));

  const backend = await Backend.open({
    paths,
    window: session,
    settings: () => settings.value,
    log: (level, message) => log[level](message),
    onChange: () => showStatus(),
  });
  function showStatus(): void {
    if (backend.training) cache.serve({ adapterVersion: backend.training.adapterVersion });
    if (backend.served) cache.serve(backend.served);
    statusBar.show(situationOf(backend, settings.value, policy));
  }
  const capture = new Capture(new SuggestionFollower(newId, cache), (events) => void backend.add(events));
  function changeTracking(): void {
    provider.forget();
    capture.restart(policy.mayRecord());
    backend.changeTracking(policy.mayRecord());
  }
  const thread = new ContextThread({ script: paths.contextWorker, log: (level, text) => log[level](text) });
  const feed = new WorkspaceFeed({ settings: () => settings.value, policy, thread });
  const placeContext = new PlaceContext({
    settings: () => settings.value,
    policy,
    thread,
    recent: () => feed.recent,
  });
  function indexAnew(): void {
    placeContext.forget();
    feed.restart();
  }
  const provider = new HoneProvider({
    settings: () => settings.value,
    policy,
    client: () => backend.client,
    capture,
    cache,
    syntaxOf: (languageId) => grammars.syntaxOf(languageId),
    context: placeContext,
    record: (completion) => backend.record(completion),
    session,
    workspaceKey: () => workspaceKeyOf(workspace.workspaceFolders?.[0]?.uri.toString()),
    log,
  });
  const explainer = new PromptExplainer(policy, placeContext);
  const statusPanel = new StatusPanel(() => statusPageData(backend, settings.value, policy));
  const listener = settings.value.useProposedApi ? displayListener(provider, capture) : null;

  context.subscriptions.push(
    log,
    settings,
    statusBar,
    capture,
    statusPanel,
    feed,
    placeContext,
    explainer,
    registerProvider(context, { pattern: '**' }, provider, listener, log),
    ...registerCommands({ settings, backend, capture, cache, explainer, statusPanel, log }),
    settings.onChange(({ before, after }) => {
      if (before.trackingEnabled !== after.trackingEnabled) changeTracking();
      if (before.multiline !== after.multiline) {
        provider.forget();
        cache.clear();
      }
      if (needsNewIndex(before, after)) indexAnew();
      if (needsRestart(before, after)) void backend.restartCompanion();
      showStatus();
    }),
    window.onDidChangeActiveTextEditor(showStatus),
    watchIgnoreFiles(policy, showStatus),
    workspace.onDidGrantWorkspaceTrust(() => {
      changeTracking();
      indexAnew();
      showStatus();
    }),
  );
  close = async () => {
    capture.shutdown();
    thread.close();
    await backend.close();
  };
  changeTracking();
  indexAnew();
  backend.start();
  showStatus();
  log.info(`Hone activated in ${Date.now() - began} ms; storage: ${paths.root}`);
  return { storage: paths.root, companion: () => backend.client?.endpoints.inference ?? null };
}

/** Called by the editor when the window closes: settles what is open and closes the store. */
export function deactivate(): Promise<void> {
  return close();
}
