import type { YAMLParseError, ErrorCode as YamlErrorCode } from 'yaml';

/** What most often led to an error of the parser, and what to write instead. */
const REMEDIES: Readonly<Partial<Record<YamlErrorCode, string>>> = {
  TAB_AS_INDENT: 'indent with blanks',
  BLOCK_AS_IMPLICIT_KEY: 'put text with a colon in quotes, or mend the indentation',
  BAD_SCALAR_START: 'put the text in quotes',
  BAD_ALIAS: 'put text that begins with * in quotes',
  BAD_INDENT: 'mend the indentation',
};

/** Errors of the parser that say something of their own, each with a remedy where one is known. */
export function yamlErrors(errors: readonly YAMLParseError[]): readonly { offset: number; message: string }[] {
  // After a tab the parser takes lines for others, and says more that is not so.
  const tabs = errors.filter(({ code }) => code === 'TAB_AS_INDENT');
  return (tabs.length > 0 ? tabs : errors).map(({ code, message, pos }) => {
    const remedy = REMEDIES[code];
    return { offset: pos[0], message: `not valid YAML: ${message}${remedy === undefined ? '' : `; ${remedy}`}` };
  });
}
