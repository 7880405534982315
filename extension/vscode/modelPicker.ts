import { l10n, QuickPickItemKind, window, type QuickPickItem } from 'vscode';
import { CATALOGUE, modelTitle, type CatalogueModel } from '../common/models/catalogue.ts';
import { gigabytes } from '../common/models/memory.ts';
import { recommendModel, type Machine } from '../common/models/recommend.ts';
import type { ModelPresence, ModelStore } from '../node/models/modelStore.ts';

/** What can be chosen. */
export type ModelChoice =
  { kind: 'embedded' } | { kind: 'catalogue'; model: CatalogueModel } | { kind: 'file' };

interface ChoiceItem extends QuickPickItem {
  choice?: ModelChoice;
}

interface PickOptions {
  store: ModelStore;
  machine: Machine;
  /** Of the setting; empty: the embedded model. */
  modelPath: string;
}

/** Asks which model is to be used; undefined: nothing was chosen. */
export async function pickModel(options: PickOptions): Promise<ModelChoice | undefined> {
  const { machine, modelPath, store } = options;
  const recommended = recommendModel(machine);
  const current = store.modelAt(modelPath);
  const own = modelPath !== '' && current === null;
  const embedded: ChoiceItem = {
    label: marked(l10n.t('Embedded model'), recommended.modelId === null),
    description: modelPath === '' ? l10n.t('in use') : '',
    detail:
      recommended.modelId === null ? recommended.reason : l10n.t('Small and quick, nothing to download.'),
    choice: { kind: 'embedded' },
  };
  const file: ChoiceItem = {
    label: `$(folder-opened) ${l10n.t('Model file…')}`,
    description: own ? l10n.t('in use: {0}', modelPath) : '',
    detail: l10n.t('Any GGUF file of the llama or qwen2 family on this computer.'),
    choice: { kind: 'file' },
  };
  const items: ChoiceItem[] = [
    embedded,
    ...(await catalogueItems(options)),
    { label: '', kind: QuickPickItemKind.Separator },
    file,
  ];
  const picked = await window.showQuickPick(items, {
    title: l10n.t('Hone: Select Model'),
    placeHolder: l10n.t('The model that completes; what was learned with another one is kept for it'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.choice;
}

/** Asks which model of the catalogue is to be downloaded. */
export async function pickDownload(options: PickOptions): Promise<CatalogueModel | undefined> {
  const picked = await window.showQuickPick(await catalogueItems(options), {
    title: l10n.t('Hone: Download Model'),
    placeHolder: l10n.t('A model to keep on this computer'),
    matchOnDetail: true,
  });
  return picked?.choice?.kind === 'catalogue' ? picked.choice.model : undefined;
}

async function catalogueItems({ store, machine, modelPath }: PickOptions): Promise<ChoiceItem[]> {
  const recommended = recommendModel(machine);
  const current = store.modelAt(modelPath);
  return Promise.all(
    CATALOGUE.map(async (model) => {
      const advice = model.id === recommended.modelId ? ` ${recommended.reason}` : '';
      return {
        label: marked(modelTitle(model), model.id === recommended.modelId),
        description: model === current ? l10n.t('in use') : stateOf(await store.presence(model)),
        detail: `${gigabytes(model.bytes)} · ${licenceOf(model)}.${advice}`,
        choice: { kind: 'catalogue', model } as const,
      };
    }),
  );
}

function marked(label: string, recommended: boolean): string {
  return recommended ? `$(star-full) ${label} (${l10n.t('recommended here')})` : label;
}

function stateOf(presence: ModelPresence): string {
  if (presence.kind === 'whole') return l10n.t('downloaded');
  return presence.kind === 'part' ? l10n.t('{0} downloaded so far', gigabytes(presence.bytes)) : '';
}

function licenceOf({ licence }: CatalogueModel): string {
  return licence.commercialUse
    ? licence.name
    : l10n.t('{0}: for research only, not for commercial work', licence.name);
}
