/**
 * The names that RLinf's YAML has for the same things, and those of its names that have no meaning here. A key that
 * covers a whole section covers everything below it.
 */

export interface Alias {
  /** Path in RLinf's file. */
  name: string;
  /** Paths of the same thing in ours; several where Hone tells apart what RLinf doesn't. */
  keys: readonly string[];
  /** RLinf's more specific names: where one is given, it counts, and this one doesn't. */
  unless?: string;
  /** What its values are called here, where they have other names. */
  values?: Readonly<Record<string, string>>;
}

/**
 * RLinf has a file a run, and one name for what the two runs do alike: of the keys that it means here, those of the
 * other run are left alone.
 */
export type Run = 'companion' | 'judge';

const OTHER_RUN: Record<Run, readonly string[]> = {
  companion: ['judge.'],
  judge: ['training.', 'server.', 'dataDir'],
};

/** Whether a key of ours is about a run. */
export function isOf(run: Run, key: string): boolean {
  return !OTHER_RUN[run].some((start) => key.startsWith(start));
}

export const ALIASES: readonly Alias[] = [
  { name: 'runner.output_dir', keys: ['dataDir', 'judge.outputDir'] },
  { name: 'runner.seq_length', keys: ['inference.contextTokens'] },
  { name: 'rollout.model.model_path', keys: ['model.path'] },
  { name: 'rollout.model_dir', keys: ['model.path'] },
  { name: 'actor.model.model_path', keys: ['model.path'] },
  { name: 'server.online_router.host', keys: ['server.host'] },
  { name: 'server.online_router.port', keys: ['server.inferencePort'] },
  { name: 'server.tracking_rollout.host', keys: ['server.host'] },
  { name: 'server.tracking_rollout.port', keys: ['server.feedbackPort'] },
  { name: 'rollout_server.online_router.host', keys: ['server.host'] },
  { name: 'rollout_server.online_router.port', keys: ['server.inferencePort'] },
  { name: 'rollout_server.tracking_rollout.host', keys: ['server.host'] },
  { name: 'rollout_server.tracking_rollout.port', keys: ['server.feedbackPort'] },
  { name: 'runner.max_epochs', keys: ['judge.schedule.epochs'] },
  { name: 'runner.max_steps', keys: ['judge.schedule.maxSteps'] },
  { name: 'runner.val_check_interval', keys: ['judge.schedule.validateEvery'] },
  { name: 'runner.save_interval', keys: ['judge.schedule.saveEvery'] },
  { name: 'data.train_data_paths', keys: ['judge.data.trainPaths'] },
  { name: 'data.val_data_paths', keys: ['judge.data.validationPaths'] },
  { name: 'data.rollout_batch_size', keys: ['training.batchEvents', 'judge.rollout.promptsPerStep'] },
  { name: 'data.seed', keys: ['training.seed', 'judge.seed'] },
  { name: 'actor.seed', keys: ['training.seed', 'judge.seed'], unless: 'data.seed' },
  {
    name: 'algorithm.sampling_params.temperature',
    keys: ['inference.temperature', 'judge.rollout.temperature'],
  },
  {
    name: 'algorithm.sampling_params.max_new_tokens',
    keys: ['inference.maxTokens', 'judge.rollout.maxTokens'],
  },
  { name: 'reward.reward_type', keys: ['judge.reward.judge'], values: { code_offline: 'chat' } },
  { name: 'algorithm.group_size', keys: ['judge.rollout.groupSize'] },
  { name: 'algorithm.kl_beta', keys: ['training.update.klWeight', 'judge.update.klWeight'] },
  {
    name: 'algorithm.ratio_clip_eps',
    keys: ['training.update.clipLow', 'judge.update.clipLow'],
    unless: 'algorithm.clip_ratio_low',
  },
  {
    name: 'algorithm.ratio_clip_eps',
    keys: ['training.update.clipHigh', 'judge.update.clipHigh'],
    unless: 'algorithm.clip_ratio_high',
  },
  { name: 'algorithm.clip_ratio_low', keys: ['training.update.clipLow', 'judge.update.clipLow'] },
  { name: 'algorithm.clip_ratio_high', keys: ['training.update.clipHigh', 'judge.update.clipHigh'] },
  { name: 'actor.global_batch_size', keys: ['training.update.miniBatch'] },
  { name: 'actor.model.lora_rank', keys: ['training.update.rank', 'judge.update.rank'] },
  { name: 'actor.optim.lr', keys: ['training.update.learningRate', 'judge.update.learningRate'] },
  { name: 'actor.optim.adam_beta1', keys: ['training.update.beta1', 'judge.update.beta1'] },
  { name: 'actor.optim.adam_beta2', keys: ['training.update.beta2', 'judge.update.beta2'] },
  { name: 'actor.optim.adam_eps', keys: ['training.update.epsilon', 'judge.update.epsilon'] },
  { name: 'actor.optim.weight_decay', keys: ['training.update.weightDecay', 'judge.update.weightDecay'] },
  { name: 'actor.optim.clip_grad', keys: ['training.update.maxGradNorm', 'judge.update.maxGradNorm'] },
];

/** RLinf's keys that say how a cluster, its engines and its files are used, or choose what is fixed here. */
export const UNUSED: readonly string[] = [
  'defaults',
  'hydra',
  'cluster',
  'critic',
  'env',
  ...below('runner', [
    'task_type',
    'resume_dir',
    'logger',
    'experiment_name',
    'enable_dynamic_batch_size',
    'max_tokens_per_mbs',
  ]),
  ...below('algorithm', [
    'n_minibatches',
    'training_batch_size_per_gpu',
    'rollout_batch_size_per_gpu',
    'logprob_forward_micro_batch_size',
    'val_rollout_batch_size_per_gpu',
    'recompute_logprobs',
    'shuffle_rollout',
    'max_num_gen_batches',
    'loss_type',
    'loss_agg_func',
    'kl_penalty_type',
    'entropy_bonus',
    'calculate_entropy',
    'clip_ratio_c',
    'use_critic',
    'use_value_loss',
    'gamma',
    'gae_lambda',
    'adv_type',
    'normalize_advantages',
    'early_stop_imp_ratio',
    'use_valid_token_scale',
  ]),
  ...below('algorithm.sampling_params', [
    'use_greedy',
    'do_sample',
    'top_k',
    'top_p',
    'repetition_penalty',
    'min_new_tokens',
    'stop',
    'stop_token_ids',
  ]),
  ...below('inference', ['model_arch', 'group_name', 'load_from_actor', 'model', 'fsdp_config', 'megatron']),
  ...below('rollout', [
    'group_name',
    'gpu_memory_utilization',
    'model_arch',
    'model_type',
    'precision',
    'enforce_eager',
    'distributed_executor_backend',
    'disable_log_stats',
    'detokenize',
    'padding',
    'eos',
    'rollout_backend',
    'sglang',
    'vllm',
    'return_logprobs',
    'tensor_parallel_size',
    'pipeline_parallel_size',
    'validate_weight',
    'validate_save_dir',
    'print_outputs',
    'max_running_requests',
    'cuda_graph_max_bs',
  ]),
  ...below('rollout.model', ['model_type', 'precision']),
  ...below('data', [
    'type',
    'dataset_name',
    'max_prompt_length',
    'filter_prompt_by_length',
    'val_rollout_batch_size',
    'num_workers',
    'prompt_key',
    'answer_key',
    'shuffle',
    'validation_shuffle',
    'apply_chat_template',
  ]),
  ...below('actor', [
    'group_name',
    'training_backend',
    'mcore_gpt',
    'spec_name',
    'checkpoint_load_path',
    'offload_optimizer',
    'offload_weight',
    'offload_grad',
    'enable_offload',
    'enable_dp_load_balance',
    'micro_batch_size',
    'calculate_flops',
    'pack_traj',
    'sync_precision',
    'lr_sched',
    'tokenizer',
    'megatron',
    'fsdp_config',
  ]),
  ...below('actor.model', [
    'model_type',
    'precision',
    'add_bias_linear',
    'tensor_model_parallel_size',
    'pipeline_model_parallel_size',
    'activation',
    'sequence_parallel',
    'recompute_method',
    'recompute_granularity',
    'recompute_num_layers',
    'seq_length',
    'encoder_seq_length',
    'normalization',
    'position_embedding_type',
    'apply_rope_fusion',
    'bias_dropout_fusion',
    'persist_layer_norm',
    'bias_activation_fusion',
    'attention_softmax_in_fp32',
    'batch_p2p_comm',
    'variable_seq_lengths',
    'gradient_accumulation_fusion',
    'moe_token_dispatcher_type',
    'use_cpu_initialization',
    'is_lora',
  ]),
  ...below('actor.optim', [
    'optimizer',
    'bf16',
    'fp16',
    'min_lr',
    'use_distributed_optimizer',
    'overlap_grad_reduce',
    'overlap_param_gather',
    'optimizer_enable_pin',
    'overlap_param_gather_with_optimizer_step',
    'loss_scale',
    'total_training_steps',
    'lr_warmup_steps_ratio',
  ]),
  ...below('reward', ['group_name', 'use_reward_model', 'reward_scale', 'use_prompt', 'tokenizer']),
];

function below(section: string, names: string[]): string[] {
  return names.map((name) => `${section}.${name}`);
}
