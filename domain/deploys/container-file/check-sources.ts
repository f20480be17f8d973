import { DockerfileParser, type Instruction, ModifiableInstruction, Onbuild } from 'dockerfile-ast';
import { FairleadError } from '../../errors.ts';
import { unknownInstruction } from './check-instruction.ts';
import { ImageNames, type ImagePolicy } from './image-names.ts';
import { ambiguityOf } from './readings.ts';
import { textOffsets } from './text-offsets.ts';

/** What a container file may take from outside, and for whom it is built. */
export interface SourcePolicy extends ImagePolicy {
  /** Begins the id of every cache mount, so that no cache is shared beyond it. */
  readonly cacheScope: string;
  /** Named in messages. */
  readonly fileName: string;
}

export interface CheckedSources {
  readonly text: string;
  /** What was changed, for the build log. */
  readonly changes: readonly string[];
}

/**
 * Refuses what would make the builder itself reach out, or read what belongs to others, and gives cache mounts ids of
 * their own. The builder stands in the machine's network, with the engine's images and credentials; a RUN instruction
 * does not: it has the network of builds, and can fetch what ADD may not.
 *
 * Refused: ADD of addresses, a builder of one's own (`# syntax=`), images of the platform's registry that are not the
 * service's own, images by id, registries named by an address of this machine or by number, `RUN --network` and
 * `--security`, ssh mounts, and what builders read differently. ONBUILD instructions count as what they will do.
 *
 * @throws CONTAINER_FILE_INVALID with file name, line and remedy
 */
export function checkSources(text: string, policy: SourcePolicy): CheckedSources {
  const changes: string[] = [];
  const withoutSyntax = dropSyntaxDirective(text, policy, changes);
  const ambiguity = ambiguityOf(withoutSyntax);
  if (ambiguity !== null) throw refused(policy, ambiguity.line, ambiguity.message);
  const edits: Edit[] = [];
  const images = new ImageNames(policy);
  for (const written of DockerfileParser.parse(withoutSyntax).getInstructions()) {
    const line = written.getRange().start.line + 1;
    for (const instruction of [written, ...triggerOf(written)]) {
      const problem = problemOf(instruction, withoutSyntax, images);
      if (problem !== null) throw refused(policy, line, problem);
      edits.push(...cacheEdits(instruction, withoutSyntax, policy));
    }
  }
  if (edits.length > 0) changes.push(`cache mounts have ids of their own, beginning with ${policy.cacheScope}`);
  return { text: applyEdits(withoutSyntax, edits), changes };
}

/** Replaces one word of the text. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The builder that the engine brings along understands what these names stand for. */
const OFFICIAL_SYNTAX = /^(?:docker\.io\/)?docker\/dockerfile(?::1(?:\.\d+){0,2}(?:-labs)?)?(?:@sha256:[0-9a-f]{64})?$/;

/** Any comment above the first instruction counts: builders differ in which of them they read as a directive. */
function dropSyntaxDirective(text: string, policy: SourcePolicy, changes: string[]): string {
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() !== '' && !/^[\s\uFEFF]*#/.test(line)) break;
    // The line may end with a carriage return.
    const syntax = /^[\s\uFEFF]*#\s*syntax\s*=([\s\S]*)$/i.exec(line)?.[1]?.trim();
    if (syntax === undefined) continue;
    if (!OFFICIAL_SYNTAX.test(syntax)) {
      const problem = `# syntax=${syntax.slice(0, 100)} names a builder of its own; remove the line`;
      throw refused(policy, index + 1, problem);
    }
    lines[index] = '#';
    changes.push(`line ${index + 1}: the engine's own builder is used instead of ${syntax}`);
  }
  return lines.join('\n');
}

function triggerOf(instruction: Instruction): readonly Instruction[] {
  const trigger = instruction instanceof Onbuild ? instruction.getTriggerInstruction() : null;
  return trigger === null ? [] : [trigger];
}

function problemOf(instruction: Instruction, text: string, images: ImageNames): string | null {
  // Of the parts of a trigger only this one is not checked when the file is read.
  return (
    unknownInstruction(instruction) ??
    firstProblem(flagsOf(instruction), (flag) => problemOfFlag(flag, text)) ??
    problemOfSources(instruction, images)
  );
}

function problemOfSources(instruction: Instruction, images: ImageNames): string | null {
  const content = instruction.getArgumentsContent() ?? '';
  switch (instruction.getKeyword()) {
    case 'ARG':
      return images.note(content);
    case 'FROM':
      return images.problemOfFrom(content);
    case 'ADD':
      return problemOfAdd(content);
    case 'COPY':
      return firstProblem(flagsOf(instruction), ({ name, value }) =>
        name === 'from' ? images.problemOf(value) : null,
      );
    case 'RUN':
      return firstProblem(flagsOf(instruction), (flag) => problemOfRunFlag(flag, images));
    default:
      return null;
  }
}

function firstProblem<T>(items: readonly T[], judge: (item: T) => string | null): string | null {
  for (const item of items) {
    const problem = judge(item);
    if (problem !== null) return problem;
  }
  return null;
}

/** What builders take out of words, with the other escape character that `# escape=` may name. */
const QUOTED = /["'`\\]/;

/** For builders `--fr"om"=x` is `--from=x`, and a quoted blank does not end a flag. */
function problemOfFlag({ name, range }: Flag, text: string): string | null {
  const { from, to } = textOffsets(text, range);
  // An escaped blank does not end it either, and is not in the range.
  const goesOn = /^[\\`](?![ \t]*\r?\n)/.test(text.slice(to, to + 256));
  const written = text.slice(from, to);
  if (!goesOn && !QUOTED.test(written) && /^[a-z-]*$/i.test(name)) return null;
  return `${written.slice(0, 100).replace(/\s+/g, ' ')}: write the flag without quotes and backslashes, and its name in letters`;
}

function problemOfRunFlag({ name, value }: Flag, images: ImageNames): string | null {
  if (name === 'network' && value !== 'default' && value !== 'none') {
    return `RUN --network=${value} is not given; remove it, the network of builds reaches the package registries`;
  }
  if (name === 'security') return 'RUN --security is not given; remove it';
  if (name !== 'mount') return null;
  const mount = mountOptions(value);
  const type = mount.get('type')?.toLowerCase() ?? 'bind';
  if (type.includes('$')) return 'RUN --mount has a variable for its type; write the type out';
  if (type === 'ssh') return 'RUN --mount=type=ssh has no key here; use a build secret';
  const from = mount.get('from');
  return from === undefined ? null : images.problemOf(from);
}

/** A scheme, git's short form, or a host that builders take for a repository. */
const REMOTE = /^[a-z][a-z0-9+.-]*:\/\/|^[^/]*@[^/]*:|^(?:www\.)?github\.com\/|\.git(?:[#?].*)?$|^git@/i;

function problemOfAdd(content: string): string | null {
  const words = content.trim().startsWith('[') ? jsonWords(content) : content.split(/\s+/);
  for (const word of words.filter((one) => one !== '' && !one.startsWith('--')).slice(0, -1)) {
    const source = word.replace(/^["']|["']$/g, '');
    const remedy = 'fetch it with RUN, such as RUN wget, or commit the file';
    // Builders take quotes and backslashes out of a word before they read it.
    if (QUOTED.test(source)) return `ADD ${source.slice(0, 100)}: write the path without quotes and backslashes`;
    if (REMOTE.test(source)) return `ADD of an address (${source.slice(0, 100)}) is not allowed; ${remedy}`;
    // What it stands for is known to the builder alone.
    if (source.includes('$')) return `ADD ${source.slice(0, 100)}: write the path without a variable, or use COPY`;
  }
  return null;
}

function jsonWords(content: string): readonly string[] {
  try {
    const words: unknown = JSON.parse(content);
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  } catch {
    // Not JSON, then builders read it as words.
  }
  return content.split(/[\s,[\]]+/);
}

type Range = ReturnType<Instruction['getRange']>;

interface Flag {
  readonly name: string;
  readonly value: string;
  readonly range: Range;
}

function flagsOf(instruction: Instruction): readonly Flag[] {
  if (!(instruction instanceof ModifiableInstruction)) return [];
  return instruction.getFlags().map((flag) => ({
    name: flag.getName().toLowerCase(),
    value: flag.getValue() ?? '',
    range: flag.getRange(),
  }));
}

/** Options of `--mount`, keys in lower case; of one given twice the last counts, as for the builder. */
function mountOptions(value: string): ReadonlyMap<string, string> {
  return new Map(
    value.split(',').map((part) => {
      const [key = '', ...rest] = part.split('=');
      return [key.trim().toLowerCase(), rest.join('=').trim()] as const;
    }),
  );
}

/** A cache without an id has its target for one, so two services with the same folder would share it. */
function cacheEdits(instruction: Instruction, text: string, { cacheScope }: SourcePolicy): readonly Edit[] {
  if (instruction.getKeyword() !== 'RUN') return [];
  return flagsOf(instruction).flatMap(({ name, value, range }) => {
    const options = mountOptions(value);
    if (name !== 'mount' || options.get('type')?.toLowerCase() !== 'cache') return [];
    const id = options.get('id') ?? targetOf(options);
    const scoped = new Map([...options, ['id', `${cacheScope}/${id}`]]);
    const written = [...scoped].map(([key, option]) => (option === '' ? key : `${key}=${option}`)).join(',');
    return [{ ...textOffsets(text, range), text: `--mount=${written}` }];
  });
}

function targetOf(options: ReadonlyMap<string, string>): string {
  return options.get('target') ?? options.get('dst') ?? options.get('destination') ?? '';
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let edited = text;
  for (const { from, to, text: replacement } of edits.toSorted((a, b) => b.from - a.from)) {
    edited = edited.slice(0, from) + replacement + edited.slice(to);
  }
  return edited;
}

function refused({ fileName }: SourcePolicy, line: number, message: string): FairleadError {
  return new FairleadError('CONTAINER_FILE_INVALID', `${fileName}:${line}: ${message}`, {
    details: { file: fileName, line },
  });
}
