import type { BlockLanguage } from './types.ts';

const MEMBER_HEAD = 'class A {\n';
const SCRIPT_BLOCKS = ['statement_block', 'class_body', 'switch_body', 'interface_body', 'enum_body'];

/** By the editor's language identifier. */
export const BLOCK_LANGUAGES: Readonly<Record<string, BlockLanguage>> = {
  javascript: braces('javascript', SCRIPT_BLOCKS, MEMBER_HEAD),
  javascriptreact: braces('javascript', SCRIPT_BLOCKS, MEMBER_HEAD),
  typescript: braces('typescript', SCRIPT_BLOCKS, MEMBER_HEAD),
  typescriptreact: braces('tsx', SCRIPT_BLOCKS, MEMBER_HEAD),
  python: { grammar: 'python', opener: ':', blocks: new Set(['block']) },
  go: braces('go', ['block', 'field_declaration_list', 'statement_list']),
  java: braces(
    'java',
    ['block', 'constructor_body', 'class_body', 'interface_body', 'enum_body'],
    MEMBER_HEAD,
  ),
  rust: braces('rust', [
    'block',
    'declaration_list',
    'field_declaration_list',
    'enum_variant_list',
    'match_block',
  ]),
};

/** Names of the grammars above, sorted. */
export const GRAMMARS = [...new Set(Object.values(BLOCK_LANGUAGES).map(({ grammar }) => grammar))].sort();

function braces(grammar: string, blocks: string[], memberHead?: string): BlockLanguage {
  return { grammar, opener: '{', blocks: new Set(blocks), memberHead };
}
