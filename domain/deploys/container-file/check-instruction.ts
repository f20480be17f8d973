import type { Instruction } from 'dockerfile-ast';

/** Every instruction of the format. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  ...['ADD', 'ARG', 'CMD', 'COPY', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'FROM', 'HEALTHCHECK', 'LABEL', 'MAINTAINER'],
  ...['ONBUILD', 'RUN', 'SHELL', 'STOPSIGNAL', 'USER', 'VOLUME', 'WORKDIR'],
]);

/** The fewest arguments that make sense of an instruction. */
const FEWEST: Readonly<Record<string, number>> = { ADD: 2, COPY: 2, CMD: 0, ENTRYPOINT: 0, FROM: 0 };

/** That there is no such instruction, with the one that may be meant; null for one that there is. */
export function unknownInstruction(instruction: Instruction): string | null {
  const keyword = instruction.getKeyword();
  if (KEYWORDS.has(keyword)) return null;
  const near = [...KEYWORDS].find((known) => isNear(known, keyword));
  return `unknown instruction ${instruction.getInstruction()}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

/** What is wrong with an instruction by itself; null when nothing is. */
export function checkInstruction(instruction: Instruction, afterFrom: boolean): string | null {
  const unknown = unknownInstruction(instruction);
  if (unknown !== null) return unknown;
  const keyword = instruction.getKeyword();
  if (!afterFrom && keyword !== 'FROM' && keyword !== 'ARG') return `${keyword} stands before the first FROM`;
  const words = (instruction.getArgumentsContent() ?? '').split(/\s+/).filter((word) => word !== '');
  const fewest = FEWEST[keyword] ?? 1;
  const given = keyword === 'COPY' || keyword === 'ADD' ? words.filter((word) => !word.startsWith('--')) : words;
  // The JSON form may write all its arguments without a blank between them.
  if (given.length < fewest && !given[0]?.startsWith('[')) {
    return `${keyword} needs ${fewest === 1 ? 'an argument' : `at least ${fewest} arguments`}`;
  }
  if (keyword === 'USER' && given.length > 1) return 'USER takes one argument: a user, or user:group';
  if (keyword === 'ENV' && given.length === 1 && !given[0]?.includes('=')) return `ENV ${given[0]} has no value`;
  return null;
}

/** True when one character added, left out, changed or swapped makes one of the other. */
function isNear(known: string, written: string): boolean {
  if (Math.abs(known.length - written.length) > 1) return false;
  let begin = 0;
  while (begin < known.length && known[begin] === written[begin]) begin += 1;
  let end = 0;
  while (end < known.length - begin && known.at(-1 - end) === written.at(-1 - end)) end += 1;
  return known.length - begin - end <= 2 && written.length - begin - end <= 2;
}
