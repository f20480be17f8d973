import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type Node, type Pair, visit } from 'yaml';

/**
 * What YAML allows and files of the platform do not: it hides what a file says from the people who read it, or makes the
 * same file say something else to another parser. Each message says what to write instead.
 */

export interface RefusedYaml {
  /** Of the character in the file. */
  readonly offset: number;
  /** Of the value; empty for the file as a whole. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const PLAIN_TAGS: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Directives that change how the file is read. */
export function refusedDirectives(document: Document.Parsed): readonly RefusedYaml[] {
  const { yaml, tags } = document.directives ?? {};
  const whole = { offset: 0, path: [] };
  const other = Object.keys(tags ?? {}).filter((handle) => handle !== '!!');
  return [
    ...(yaml?.explicit === true && yaml.version !== '1.2'
      ? [{ ...whole, message: `%YAML ${yaml.version}: the file is read as YAML 1.2; remove the directive` }]
      : []),
    ...other.map((handle) => ({ ...whole, message: `%TAG ${handle}: write no tags; remove the directive` })),
    ...document.warnings
      .filter(({ code }) => code === 'BAD_DIRECTIVE')
      .map(({ pos }) => ({ ...whole, offset: pos[0], message: 'a directive that is not known: remove it' })),
  ];
}

/** Keys and values. Keys that stand in one map more than once are told of each but the first. */
export function refusedNodes(document: Document.Parsed): readonly RefusedYaml[] {
  const refused: RefusedYaml[] = [];
  const refuse = (node: Node, path: Ancestors, message: string): void => {
    refused.push({ offset: node.range?.[0] ?? 0, path: pathOf([...path, node]), message });
  };
  const anchored = new Map<string, Node>();
  const keep = (node: Node & { readonly anchor?: string }): void => {
    if (node.anchor !== undefined) anchored.set(node.anchor, node);
  };
  const refuseTag = (node: Node, path: Ancestors): void => {
    if (isAlias(node) || node.tag === undefined || PLAIN_TAGS.has(node.tag)) return;
    refuse(node, path, `the tag ${shown(node.tag)}: write the value without a tag`);
  };
  visit(document, {
    Map: (_, map, path) => {
      keep(map);
      refuseTag(map, path);
      const keys = new Set<unknown>();
      for (const { key } of map.items) {
        const message = refusedKey(key, keys);
        if (message !== null)
          refused.push({ offset: (key as Node).range?.[0] ?? 0, path: pathOf([...path, map]), message });
        if (isScalar(key)) keys.add(keyText(key.value));
      }
    },
    Seq: (_, seq, path) => {
      keep(seq);
      refuseTag(seq, path);
    },
    Alias: (_, alias, path) => {
      const target = anchored.get(alias.source);
      if (target === undefined) refuse(alias, path, `*${alias.source}: no anchor of that name stands before it`);
      else if (path.includes(target)) refuse(alias, path, `*${alias.source} stands inside of what it repeats`);
    },
    Scalar: (_, scalar, path) => {
      keep(scalar);
      refuseTag(scalar, path);
      if (typeof scalar.value !== 'string' || isText(scalar.value)) return;
      refuse(scalar, path, 'text with a control character or half a character: remove it');
    },
  });
  return refused;
}

type Ancestors = readonly (Document | Node | Pair)[];

/** Where a node stands: the nodes above it, and itself. */
export function pathOf(nodes: Ancestors): readonly PropertyKey[] {
  return nodes.flatMap((node, index): PropertyKey[] => {
    const next = nodes[index + 1];
    if (isPair(node)) return isScalar(node.key) && next !== node.key ? [String(node.key.value)] : [];
    return isSeq(node) && next !== undefined ? [node.items.indexOf(next)] : [];
  });
}

function refusedKey(key: unknown, before: ReadonlySet<unknown>): string | null {
  if (isAlias(key)) return `the key *${key.source} is an alias: write the key itself`;
  if (isMap(key) && key.flow === true)
    return 'a key that is a mapping: write plain text, and for a template {{ … }} what it stands for';
  if (!isScalar(key)) return 'a key that is a list or a mapping: write plain text';
  if (before.has(keyText(key.value)))
    return `the key ${shown(keyText(key.value))} stands here more than once: keep one`;
  if (key.value === '<<') return 'the merge key <<: repeat the entries here';
  return key.value === '__proto__' ? 'the key __proto__: remove it' : null;
}

/** As an object has it: 1 and "1" are one key. */
function keyText(value: unknown): string {
  return value === null ? '' : String(value);
}

/** No control characters but tabs and ends of lines, and well-formed. */
function isText(value: string): boolean {
  return value.isWellFormed() && !/[^\P{Cc}\t\r\n]/u.test(value);
}

function shown(tag: string): string {
  const text = tag.replace(/^tag:yaml\.org,2002:/, '!!');
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
