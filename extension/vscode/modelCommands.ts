import { l10n, ProgressLocation, Uri, window, workspace, type CancellationToken } from 'vscode';
import type { CommandName } from '../common/contributions.ts';
import type { ModelReport } from '../common/contracts/model.ts';
import { modelTitle, type CatalogueModel } from '../common/models/catalogue.ts';
import { gigabytes } from '../common/models/memory.ts';
import type { Backend } from '../node/backend.ts';
import { DownloadError } from '../node/download/downloadError.ts';
import type { ProxySettings } from '../node/download/proxy.ts';
import type { DownloadProgress } from '../node/download/rate.ts';
import { inspectModel } from '../node/models/inspectModel.ts';
import { thisMachine } from '../node/models/machine.ts';
import { ModelStore } from '../node/models/modelStore.ts';
import type { Paths } from '../node/paths.ts';
import type { Action } from './commands.ts';
import type { CurrentSettings } from './currentSettings.ts';
import { pickDownload, pickModel, type ModelChoice } from './modelPicker.ts';

const MEGABYTE = 1e6;

interface ModelParts {
  settings: CurrentSettings;
  backend: Backend;
  paths: Paths;
  log: (message: string) => void;
}

/** Commands about the model that completes. */
export function modelCommands(parts: ModelParts) {
  const store = new ModelStore(parts.paths.models);
  const options = () => ({
    store,
    machine: thisMachine(parts.backend.health),
    modelPath: parts.settings.value.modelPath,
  });
  return {
    selectModel: async () => {
      if (parts.settings.value.companionUrl !== '')
        throw new Error(
          l10n.t(
            'Suggestions come from the Hone of hone.companion.url: choose the model there, with hone serve --model.',
          ),
        );
      const choice = await pickModel(options());
      if (choice === undefined) return;
      const path = await pathFor(parts, store, choice);
      if (path !== undefined) await useModel(parts, path);
    },
    downloadModel: async () => {
      const model = await pickDownload(options());
      if (model === undefined) return;
      const path = await fetchModel(parts, store, model);
      if (path === undefined || path === parts.settings.value.modelPath) return;
      const use = l10n.t('Use It');
      const message = l10n.t('{0} is downloaded.', modelTitle(model));
      if ((await window.showInformationMessage(`Hone: ${message}`, use)) === use) await useModel(parts, path);
    },
  } satisfies Partial<Record<CommandName, Action>>;
}

/** Empty for the embedded model; undefined: nothing was chosen after all. */
async function pathFor(
  parts: ModelParts,
  store: ModelStore,
  choice: ModelChoice,
): Promise<string | undefined> {
  if (choice.kind === 'embedded') return '';
  if (choice.kind === 'catalogue') return fetchModel(parts, store, choice.model);
  const [file] =
    (await window.showOpenDialog({
      title: l10n.t('Hone: Model File'),
      filters: { GGUF: ['gguf'] },
      defaultUri: Uri.file(parts.paths.models),
    })) ?? [];
  return file?.fsPath;
}

/** Downloads what is missing of a model; undefined: the user didn't want to. */
async function fetchModel(
  { settings, log }: ModelParts,
  store: ModelStore,
  model: CatalogueModel,
): Promise<string | undefined> {
  if ((await store.presence(model)).kind === 'whole') return store.pathOf(model);
  if (!(await agreesToLicence(model))) return undefined;
  // Loaded here and not above: few windows download anything.
  const { downloadConnections } = await import('../node/download/proxy.ts');
  const connections = downloadConnections(proxySettings());
  const title = l10n.t('Hone: Downloading {0}', modelTitle(model));
  try {
    return await window.withProgress(
      { location: ProgressLocation.Notification, title, cancellable: true },
      (progress, token) => {
        let shown = 0;
        return store.fetch(model, {
          mirror: settings.value.modelMirror,
          connections,
          signal: signalOf(token),
          log,
          onProgress: (now) => {
            const percent = (100 * now.receivedBytes) / (now.totalBytes ?? model.bytes);
            progress.report({ message: progressText(now), increment: percent - shown });
            shown = percent;
          },
        });
      },
    );
  } catch (error) {
    if (error instanceof DownloadError && error.code === 'cancelled') return undefined;
    throw error;
  } finally {
    await connections.destroy();
  }
}

/** Checks a model file and switches the companion to it; empty is the embedded model. */
async function useModel({ settings, backend, paths }: ModelParts, path: string): Promise<void> {
  if (path !== '') {
    const title = l10n.t('Hone: Checking the model');
    const report = await window.withProgress({ location: ProgressLocation.Notification, title }, () =>
      inspectModel(paths, path),
    );
    refuseTooLarge(report, settings.value.memoryLimitMb);
    if (!(await acceptsLimits(report))) return;
  }
  if (path === settings.value.modelPath) await backend.restartCompanion();
  else await settings.set('modelPath', path);
}

/** As the companion would. */
function refuseTooLarge({ name, memory }: ModelReport, limitMb: number): void {
  if (limitMb === 0 || memory.serving <= limitMb * MEGABYTE) return;
  throw new Error(
    l10n.t(
      '{0} would take about {1} of memory, more than hone.companion.memoryLimitMb allows. Choose a smaller model, or raise the limit.',
      name,
      gigabytes(memory.serving),
    ),
  );
}

async function agreesToLicence({ licence, ...model }: CatalogueModel): Promise<boolean> {
  if (licence.commercialUse) return true;
  const go = l10n.t('Download');
  const message = l10n.t(
    '{0} may be used for research and evaluation only, not for commercial work ({1}).',
    model.name,
    licence.name,
  );
  return (await window.showWarningMessage(message, { modal: true }, go)) === go;
}

/** What the model can't do is said before it is used. */
async function acceptsLimits({ name, fim, untrainable }: ModelReport): Promise<boolean> {
  const limits = [
    fim === null &&
      l10n.t(
        'It has no fill-in-the-middle markers: it sees the text before the caret alone, and suggests less well.',
      ),
    untrainable !== null && l10n.t('Nothing can be learned with it: {0}', untrainable),
  ].filter((limit) => limit !== false);
  if (limits.length === 0) return true;
  const go = l10n.t('Use It All the Same');
  const detail = limits.join('\n');
  return (await window.showWarningMessage(`Hone: ${name}`, { modal: true, detail }, go)) === go;
}

function proxySettings(): ProxySettings {
  const http = workspace.getConfiguration('http');
  const off = http.get<string>('proxySupport') === 'off';
  return {
    proxy: off ? '' : (http.get<string>('proxy') ?? ''),
    noProxy: off ? ['*'] : (http.get<string[]>('noProxy') ?? []),
    strictSsl: http.get<boolean>('proxyStrictSSL') ?? true,
  };
}

function signalOf(token: CancellationToken): AbortSignal {
  const abort = new AbortController();
  token.onCancellationRequested(() => abort.abort());
  return abort.signal;
}

const MINUTE_SECONDS = 60;

function progressText({ receivedBytes, totalBytes, secondsLeft }: DownloadProgress): string {
  const received = gigabytes(receivedBytes);
  if (totalBytes === null) return received;
  const share = l10n.t('{0} of {1}', received, gigabytes(totalBytes));
  if (secondsLeft === null) return share;
  const left =
    secondsLeft < MINUTE_SECONDS
      ? l10n.t('{0} s left', Math.ceil(secondsLeft))
      : l10n.t('{0} min left', Math.ceil(secondsLeft / MINUTE_SECONDS));
  return `${share}, ${left}`;
}
