import { isNode, isScalar, LineCounter, parseAllDocuments } from 'yaml';
import { type ErrorCode, FairleadError } from '../errors.ts';
import { refusedDirectives, refusedNodes } from './refused-yaml.ts';
import { type WrittenNumber, writtenNumbers } from './written-numbers.ts';
import { yamlErrors } from './yaml-errors.ts';

/** One thing wrong in a file; line and column count from 1. */
export interface FileProblem {
  readonly line: number;
  readonly column: number;
  /** `spec.routes[2].gas`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
}

export interface YamlFile {
  /** Plain data: objects, lists, strings, numbers, booleans, null. */
  readonly value: unknown;
  /** Where the value at a path stands; of a missing one, where its nearest existing parent stands. */
  readonly locate: (path: readonly PropertyKey[]) => { line: number; column: number };
  /** Numbers that are not read as they are written. */
  readonly numbers: readonly (Omit<WrittenNumber, 'offset'> & Pick<FileProblem, 'line' | 'column'>)[];
}

export interface YamlSource {
  readonly fileName: string;
  readonly code: ErrorCode;
}

const LIMIT_BYTES = 64 * 1024;
/** Aliases may repeat a value this many times, which stops files that expand without end. */
const ALIAS_LIMIT = 100;
/** More problems than this help nobody; the rest are counted. */
const PROBLEM_LIMIT = 20;

/** Reads one YAML document. @throws the source's code for syntax errors, duplicate keys, over 64 KiB, many documents. */
export function readYaml(text: string, source: YamlSource): YamlFile {
  if (new TextEncoder().encode(text).length > LIMIT_BYTES) {
    throw invalidFile(source, [whole(`the file is larger than ${LIMIT_BYTES / 1024} KiB; make it smaller`)]);
  }
  const unreadable = unreadableCharacters(text);
  if (unreadable.length > 0) throw invalidFile(source, unreadable);
  try {
    return readDocument(text, source);
  } catch (error) {
    if (error instanceof FairleadError) throw error;
    // The parser recurses and expands aliases: input that is nested or repeated without measure ends here.
    const message = /alias/i.test(String(error))
      ? `aliases expand to too much (limit ${ALIAS_LIMIT})`
      : 'nested too deep';
    throw invalidFile(source, [whole(message)], error);
  }
}

/** The error for a file with problems: every one of them in the message and in `details`. */
export function invalidFile(source: YamlSource, problems: readonly FileProblem[], cause?: unknown): FairleadError {
  const shown = [...problems].sort((a, b) => a.line - b.line || a.column - b.column).slice(0, PROBLEM_LIMIT);
  const lines = shown.map(({ line, column, path, message }) => {
    const place = `${source.fileName}:${line}:${column}`;
    return path === '' ? `${place}: ${message}` : `${place}: ${path}: ${message}`;
  });
  if (problems.length > shown.length) lines.push(`and ${problems.length - shown.length} more problems`);
  return new FairleadError(source.code, lines.join('\n'), { details: shown, cause });
}

/** Writes a path the way people do: `spec.routes[2].gas`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[\w$-]+$/.test(String(key))) text += text === '' ? String(key) : `.${String(key)}`;
    else text += `["${String(key)}"]`;
  }
  return text;
}

function readDocument(text: string, source: YamlSource): YamlFile {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
    // It compares each key with every other; `repeatedKeys` does not.
    uniqueKeys: false,
  });
  const documents = Array.isArray(parsed) ? parsed : [];
  const [document, ...more] = documents;
  // A last line `---` begins a document in which nothing stands.
  const second = more.find(({ contents }) => !isScalar(contents) || contents.value !== null || contents.source !== '');
  if (document === undefined) throw invalidFile(source, [whole('the file is empty')]);
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const errors = documents.flatMap((one) => one.errors);
  if (errors.some((error) => error.message.includes('call stack')))
    throw invalidFile(source, [whole('nested too deep')]);
  if (errors.length > 0) {
    throw invalidFile(
      source,
      yamlErrors(errors).map(({ offset, message }) => ({ ...at(offset), path: '', message })),
    );
  }
  const refused = [...documents.flatMap(refusedDirectives), ...refusedNodes(document)];
  if (refused.length > 0) {
    throw invalidFile(
      source,
      refused.map(({ offset, path, message }) => ({ ...at(offset), path: formatPath(path), message })),
    );
  }
  if (second !== undefined) {
    const message = 'a second document begins here; keep one in the file, and move others to files of their own';
    throw invalidFile(source, [{ ...at(second.range[0]), path: '', message }]);
  }
  if (document.contents === null) throw invalidFile(source, [whole('the file is empty')]);
  const value: unknown = document.toJS({ maxAliasCount: ALIAS_LIMIT });
  const locate = (path: readonly PropertyKey[]) => {
    for (let length = path.length; length > 0; length -= 1) {
      const node: unknown = document.hasIn(path.slice(0, length)) ? document.getIn(path.slice(0, length), true) : null;
      if (isNode(node) && node.range) return at(node.range[0]);
    }
    return at(document.contents?.range?.[0] ?? 0);
  };
  const numbers = writtenNumbers(document).map(({ offset, ...number }) => ({ ...number, ...at(offset) }));
  return { value, locate, numbers };
}

/** Where a file is no text: what stands for bytes that are not UTF-8, and control characters. */
function unreadableCharacters(text: string): readonly FileProblem[] {
  return text.split('\n').flatMap((line, index) => {
    const column = line.search(UNREADABLE) + 1;
    if (column === 0) return [];
    return [{ line: index + 1, column, path: '', message: unreadable(line.charCodeAt(column - 1)) }];
  });
}

/** A return inside of a line, a mark that turns text, and a blank in the indentation that YAML takes for text. */
const UNREADABLE =
  /[^\P{Cc}\t\r]|\r(?!$)|\ufffd|[\u202a-\u202e\u2066-\u2069]|(?<=^[ \t]*)[\u00a0\u2000-\u200b\u202f\u3000]/u;

function unreadable(code: number): string {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (code === 0xfffd) return 'bytes that are not UTF-8: save the file as UTF-8';
  if (code === 0x0d)
    return `a line that ends as on old machines (${name} alone): save the file with line ends LF or CRLF`;
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) {
    return `a mark that changes the direction of text (${name}): remove it`;
  }
  return code >= 0xa0
    ? `a special blank (${name}) in the indentation: indent with plain blanks`
    : `a control character (${name}): remove it`;
}

function whole(message: string): FileProblem {
  return { line: 1, column: 1, path: '', message };
}
