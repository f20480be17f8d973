import { type Document, type Node, type Pair, visit } from 'yaml';
import { pathOf } from './refused-yaml.ts';

/** A number that is not read as it is written. */
export interface WrittenNumber {
  readonly path: readonly PropertyKey[];
  readonly offset: number;
  /** As in the file, such as `1.10`. */
  readonly written: string;
  /** As it is read, such as `1.1`. */
  readonly read: string;
}

/**
 * Numbers that lose something when they are read, or that another reader of YAML takes for others: `1.10` is 1.1, `0o17`
 * is 15, `1e3` is 1000, and of 20 digits the last ones are lost. Who writes one means text.
 */
export function writtenNumbers(document: Document.Parsed): readonly WrittenNumber[] {
  const found: WrittenNumber[] = [];
  visit(document, {
    Scalar: (key, scalar, path: readonly (Document | Node | Pair)[]) => {
      const { value, source } = scalar;
      if (key === 'key' || typeof value !== 'number' || !Number.isFinite(value) || source === undefined) return;
      if (String(value) === source) return;
      found.push({
        path: pathOf([...path, scalar]),
        offset: scalar.range?.[0] ?? 0,
        written: source,
        read: String(value),
      });
    },
  });
  return found;
}
