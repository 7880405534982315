/**
 * Models that Hone offers to download. A file is named by the commit of its repository, so what is behind an address
 * can't change, and by its SHA-256, so that it doesn't matter who delivers it: any mirror will do.
 */

/** A licence as its owner names it. */
interface ModelLicence {
  name: string;
  /** False: research and evaluation only; the model is never recommended, and taking it asks first. */
  commercialUse: boolean;
}

export interface CatalogueModel {
  /** Never changes: it is what a recommendation names. */
  id: string;
  /** As people call it. */
  name: string;
  /** Type of the weights in the file. */
  quantization: 'Q8_0' | 'Q4_K_M';
  /** `owner/name` on the hub. */
  repository: string;
  /** Commit of the repository. */
  revision: string;
  file: string;
  /** Size of the file. */
  bytes: number;
  /** False: `bytes` is near enough to plan with, and the server's own figure is checked against nothing. */
  bytesExact: boolean;
  /** Of the file, hex. */
  sha256: string;
  licence: ModelLicence;
  /** Weights, the embedding counted once. */
  parameters: number;
  /** Weights of the embedding, which is the head too. */
  headParameters: number;
  /** Of the key-value cache, at 16 bits. */
  cacheBytesPerToken: number;
}

const APACHE: ModelLicence = { name: 'Apache-2.0', commercialUse: true };
const QWEN_RESEARCH: ModelLicence = { name: 'Qwen Research License', commercialUse: false };

/** Vocabulary of Qwen2.5. */
const VOCABULARY = 151_936;
const BYTES_OF_KEY_AND_VALUE = 4;

const SMALL = {
  name: 'Qwen2.5-Coder 0.5B',
  licence: APACHE,
  parameters: 494_000_000,
  headParameters: VOCABULARY * 896,
  cacheBytesPerToken: 24 * 2 * 64 * BYTES_OF_KEY_AND_VALUE,
};
const MIDDLE = {
  name: 'Qwen2.5-Coder 1.5B',
  licence: APACHE,
  parameters: 1_544_000_000,
  headParameters: VOCABULARY * 1536,
  cacheBytesPerToken: 28 * 2 * 128 * BYTES_OF_KEY_AND_VALUE,
};
const LARGE = {
  name: 'Qwen2.5-Coder 3B',
  licence: QWEN_RESEARCH,
  parameters: 3_086_000_000,
  headParameters: VOCABULARY * 2048,
  cacheBytesPerToken: 36 * 2 * 128 * BYTES_OF_KEY_AND_VALUE,
};

/** Base models, not chat models: only those are trained to fill in the middle. Smallest file first. */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    ...SMALL,
    id: 'qwen2.5-coder-0.5b-q8_0',
    quantization: 'Q8_0',
    repository: 'ggml-org/Qwen2.5-Coder-0.5B-Q8_0-GGUF',
    revision: '5788aee90e725673490be18f553d234feaa8303d',
    file: 'qwen2.5-coder-0.5b-q8_0.gguf',
    bytes: 531_068_128,
    bytesExact: true,
    sha256: 'd0f8cd6c49bab52a0abdbe47948518b1f4d9b1a8a2a6825099cea31cea10ac56',
  },
  {
    ...MIDDLE,
    id: 'qwen2.5-coder-1.5b-q4_k_m',
    quantization: 'Q4_K_M',
    repository: 'QuantFactory/Qwen2.5-Coder-1.5B-GGUF',
    revision: '73c3c696087d8d57a3005e31f2afe78f43059739',
    file: 'Qwen2.5-Coder-1.5B.Q4_K_M.gguf',
    bytes: 986_000_000,
    bytesExact: false,
    sha256: 'a9ccb6be802412e61e1acbee6287a23b11e56e94718560f910075c64b6194910',
  },
  {
    ...MIDDLE,
    id: 'qwen2.5-coder-1.5b-q8_0',
    quantization: 'Q8_0',
    repository: 'ggml-org/Qwen2.5-Coder-1.5B-Q8_0-GGUF',
    revision: '8be1b8a895a84beea772817caaa71eba6b6e0d07',
    file: 'qwen2.5-coder-1.5b-q8_0.gguf',
    bytes: 1_646_573_056,
    bytesExact: true,
    sha256: '29871c94d15727a6e243f79a37113d4ae625a6215b5e800bf41a23af2da32832',
  },
  {
    ...LARGE,
    id: 'qwen2.5-coder-3b-q4_k_m',
    quantization: 'Q4_K_M',
    repository: 'bartowski/Qwen2.5-Coder-3B-GGUF',
    revision: '465c183318f1fcb5774394eee76f1b7f224494ec',
    file: 'Qwen2.5-Coder-3B-Q4_K_M.gguf',
    bytes: 1_930_000_000,
    bytesExact: false,
    sha256: 'bf2cee2051affae926e9a9ef4a62ebd197aec86639b075634faf973fcfd8a10c',
  },
  {
    ...LARGE,
    id: 'qwen2.5-coder-3b-q8_0',
    quantization: 'Q8_0',
    repository: 'ggml-org/Qwen2.5-Coder-3B-Q8_0-GGUF',
    revision: '9c1de162ae417c9c3aacde97c729c4128de047d8',
    file: 'qwen2.5-coder-3b-q8_0.gguf',
    bytes: 3_285_476_160,
    bytesExact: true,
    sha256: 'a522a906e299ed34db738b9626b2cd0da9e446c14674468a22fc2eae3dbd344d',
  },
];

/** Where models come from unless the setting of a mirror names another server with the same paths. */
export const MODEL_HUB = 'https://huggingface.co';

/** Address of a model's file; an empty mirror is the hub itself. */
export function modelUrl(model: CatalogueModel, mirror: string): string {
  const base = (mirror === '' ? MODEL_HUB : mirror).replace(/\/+$/, '');
  return `${base}/${model.repository}/resolve/${model.revision}/${model.file}`;
}

/** `Qwen2.5-Coder 1.5B Q8_0` */
export function modelTitle({ name, quantization }: CatalogueModel): string {
  return `${name} ${quantization}`;
}
