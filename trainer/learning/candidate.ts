/** What is served of a trained adapter, and the scores that the gate decides on. */
import type {
  LearnerReply,
  LearnerRequest,
  Score,
  ScoreItem,
} from '../../extension/common/contracts/index.ts';
import { DeviceLora, type Lora } from '../model/lora.ts';
import type { Network } from '../model/network.ts';
import { loadScored } from './adapterSet.ts';
import type { Scorer } from './scorer.ts';
import { chooseShare } from './share.ts';

type GateScores = Extract<LearnerReply, { type: 'updated' }>['gate'];
type GateRequest = Pick<
  Extract<LearnerRequest, { type: 'update' }>,
  'heldOut' | 'general' | 'config' | 'parent' | 'candidatePath'
>;

interface Candidate {
  /** Its α is that of the share. */
  served: Lora;
  gate: GateScores;
  figures: Record<string, number>;
}

/** Chooses the share of what was trained that is served, and scores what the gate decides on. */
export async function scoreCandidate(
  trained: Lora,
  request: GateRequest,
  { network, scorer }: { network: Network; scorer: Scorer },
  onProgress: (done: number, total: number) => void,
): Promise<Candidate> {
  const { heldOut, general, config, parent, candidatePath } = request;
  let total = 2 * (heldOut.length + general.length);
  let done = 0;
  const onItem = (): void => onProgress(++done, total);
  const atShare = (share: number): Lora => ({
    ...trained,
    layout: { ...trained.layout, alpha: share * config.alpha },
  });
  const withLora = async <T>(share: number, work: (lora: DeviceLora) => Promise<T>): Promise<T> => {
    const device = new DeviceLora(network.device, atShare(share), { scale: parent.scale, trainable: false });
    try {
      return await work(device);
    } finally {
      device.dispose();
    }
  };
  // The scorer knows an adapter by its path and scale: under a share of its own nothing is scored twice.
  const score = (items: ScoreItem[], share: number): Promise<Score[]> =>
    withLora(share, (lora) => scorer.score(items, { lora, path: candidatePath }, onItem));

  const chosen = await chooseShare(
    config.servedShare,
    config.servedShares,
    heldOut.length,
    (share, count) => {
      total += count;
      return score(heldOut.slice(0, count), share);
    },
  );
  const running = loadScored(network, parent);
  try {
    return {
      served: atShare(chosen.share),
      gate: {
        reduced: chosen.share < config.servedShare,
        running: await scorer.score(heldOut, running, onItem),
        candidate: await score(heldOut, chosen.share),
        generalBase: await scorer.score(general, null, onItem),
        generalCandidate: await score(general, chosen.share),
      },
      figures: {
        'gate/served_share': chosen.share,
        ...Object.fromEntries(
          [...chosen.gains].map(([share, gain]) => [`gate/gain_at_share_${share}`, gain]),
        ),
      },
    };
  } finally {
    running?.lora.dispose();
  }
}
