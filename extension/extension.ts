/** Composition root: makes the parts and connects them. */
import { v7 as newId } from 'uuid';
import { Uri, window, workspace, type ExtensionContext } from 'vscode';
import { Backend } from './node/backend.ts';
import { KeptLog } from './node/keptLog.ts';
import { pathsIn } from './node/paths.ts';
import { openSettings, openWalkthrough, registerCommands } from './vscode/commands.ts';
import { Completing } from './vscode/completing.ts';
import { completionCommands, hideSuggestion } from './vscode/completionCommands.ts';
import { Consent } from './vscode/consent.ts';
import { showContext } from './vscode/contextKeys.ts';
import { CurrentSettings, needsNewIndex, needsRestart } from './vscode/currentSettings.ts';
import { dashboardActions } from './vscode/dashboardActions.ts';
import { DashboardPanel } from './vscode/dashboardPanel.ts';
import { DashboardReader } from './vscode/dashboardReader.ts';
import { dataCommands } from './vscode/dataCommands.ts';
import { learningCommands } from './vscode/learningCommands.ts';
import { Menu } from './vscode/menu.ts';
import { modelCommands } from './vscode/modelCommands.ts';
import { ModelNotice } from './vscode/modelNotice.ts';
import { Policy, watchIgnoreFiles, workspaceKeyOfWindow } from './vscode/policy.ts';
import { RemoteWarning } from './vscode/remoteWarning.ts';
import { reportIssue } from './vscode/reportIssue.ts';
import { situationOf } from './vscode/situation.ts';
import { Snooze } from './vscode/snooze.ts';
import { StatusBar } from './vscode/statusBar.ts';

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
  const channel = window.createOutputChannel('Hone', { log: true });
  const log = new KeptLog(channel);
  const settings = new CurrentSettings(log);
  const statusBar = new StatusBar();
  const paths = pathsIn(context.globalStorageUri.fsPath, context.asAbsolutePath('dist'), process.env);
  const session = newId();
  const snooze = new Snooze();
  const policy = new Policy(
    () => settings.value,
    () => snooze.rest !== null,
  );
  const backend = await Backend.open({
    paths,
    window: session,
    workspaceKey: workspaceKeyOfWindow,
    settings: () => settings.value,
    log: (level, message) => log[level](message),
    onChange: () => showStatus(),
  });
  const completing = new Completing({
    ...{ context, paths, session, policy, backend, log },
    settings: () => settings.value,
  });
  const situation = () => situationOf(backend, settings, policy, snooze.rest);
  const consent = new Consent(context, settings);
  const menu = new Menu(situation);
  const modelNotice = new ModelNotice();
  const remoteWarning = new RemoteWarning();
  const learning = { settings, consent, backend, cache: completing.cache, policy, paths };
  const dashboard = new DashboardPanel({
    reader: new DashboardReader(backend, situation, paths.root, () => settings.value.keepDays),
    bundle: Uri.joinPath(context.extensionUri, 'dist', 'webview'),
    act: dashboardActions({ ...learning, completing }),
    log,
  });
  function showStatus(): void {
    completing.changeServed();
    modelNotice.show(situation().fellBack);
    statusBar.show(situation());
    remoteWarning.tell(situation());
    menu.refresh();
    showContext('learningPaused', backend.training?.pausedByUser === true);
  }

  context.subscriptions.push(
    ...[channel, settings, snooze, statusBar, menu, dashboard, completing],
    registerCommands(
      {
        ...completionCommands({ settings, completing, snooze, situation }),
        ...learningCommands(learning),
        ...modelCommands({ settings, backend, paths, log: (message) => log.info(message) }),
        ...dataCommands({ paths, backend, completing }),
        restartCompanion: () => backend.restartCompanion(),
        showLog: () => channel.show(),
        showMenu: () => menu.show(),
        openDashboard: () => dashboard.show(),
        showStatus: () => dashboard.show('overview'),
        openWalkthrough: () => openWalkthrough(context),
        openSettings: () => openSettings(context),
        reportIssue: () => reportIssue({ context, paths, log: log.lines }, settings.value, situation()),
      },
      log,
    ),
    settings.onChange(({ before, after }) => {
      if (before.trackingEnabled !== after.trackingEnabled) completing.changeTracking();
      if (before.multiline !== after.multiline) completing.changeShape();
      if (needsNewIndex(before, after)) completing.indexAnew();
      if (needsRestart(before, after))
        backend.restartCompanion().catch((error: Error) => log.error(`Restart: ${error.message}`));
      showStatus();
    }),
    snooze.onChange(({ begins, ends }) => {
      if (begins || ends) completing.changeTracking();
      if (begins) hideSuggestion();
      showStatus();
    }),
    window.onDidChangeActiveTextEditor(showStatus),
    watchIgnoreFiles(policy, showStatus),
    workspace.onDidGrantWorkspaceTrust(() => {
      completing.changeTracking();
      completing.indexAnew();
      consent.askOnce();
      showStatus();
    }),
  );
  close = async () => {
    completing.shutdown();
    await backend.close();
  };
  completing.changeTracking();
  completing.indexAnew();
  backend.start();
  showStatus();
  consent.askOnce();
  log.info(`Hone activated in ${Date.now() - began} ms; storage: ${paths.root}`);
  return { storage: paths.root, companion: () => backend.client?.endpoints.inference ?? null };
}

/** Called by the editor when the window closes: settles what is open and closes the store. */
export function deactivate(): Promise<void> {
  return close();
}
