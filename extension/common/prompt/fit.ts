/** Cuts a tokenised prompt to the context, at token borders, and keeps what the model needs to know where it is. */
import type { PartRole } from './fim.ts';

export interface TokenPart {
  role: PartRole;
  tokens: number[];
}

interface FittedPrompt {
  tokens: number[];
  /** How many tokens were cut. */
  truncated: number;
}

/** Least share of the room that the suffix keeps when both sides are too long. */
const SUFFIX_SHARE = 0.25;
/** Largest share of the room that a path may take. */
const PATH_SHARE = 0.25;

/**
 * At most `budget` tokens. Markers stay. Other files go first, from their beginning; then the left of the prefix and
 * the far end of the suffix. The prefix is cut from its first piece on.
 */
export function fitTokens(parts: readonly TokenPart[], budget: number): FittedPrompt {
  const total = countTokens(parts);
  if (total <= budget) return { tokens: parts.flatMap((part) => part.tokens), truncated: 0 };
  const count = (role: PartRole) => countTokens(parts.filter((part) => part.role === role));
  const markers = count('marker');
  const path = Math.min(count('path'), Math.floor(budget * PATH_SHARE));
  const room = Math.max(0, budget - markers - path);
  const suffix = Math.min(count('suffix'), Math.max(Math.floor(room * SUFFIX_SHARE), room - count('prefix')));
  const prefix = Math.min(count('prefix'), room - suffix);
  const file = room - suffix - prefix;
  const kept = keepRight(keepRight(keepRight(parts, 'file', file), 'path', path), 'prefix', prefix);
  const tokens = keepLeft(kept, 'suffix', suffix).flatMap((part) => part.tokens);
  // More markers than the context holds: nothing is left to keep but the end.
  const fitted = tokens.length > budget ? tokens.slice(tokens.length - budget) : tokens;
  return { tokens: fitted, truncated: total - fitted.length };
}

function countTokens(parts: readonly TokenPart[]): number {
  return parts.reduce((sum, part) => sum + part.tokens.length, 0);
}

/** The last `keep` tokens of a role, over all its parts. */
function keepRight(parts: readonly TokenPart[], role: PartRole, keep: number): TokenPart[] {
  let left = keep;
  return parts
    .toReversed()
    .map((part) => cut(part))
    .toReversed();

  function cut(part: TokenPart): TokenPart {
    if (part.role !== role) return part;
    const taken = Math.min(left, part.tokens.length);
    left -= taken;
    return { role, tokens: part.tokens.slice(part.tokens.length - taken) };
  }
}

/** The first `keep` tokens of a role, over all its parts. */
function keepLeft(parts: readonly TokenPart[], role: PartRole, keep: number): TokenPart[] {
  let left = keep;
  return parts.map((part) => {
    if (part.role !== role) return part;
    const tokens = part.tokens.slice(0, left);
    left -= tokens.length;
    return { role, tokens };
  });
}
