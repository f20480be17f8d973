import type { ErrorCode } from '../../domain/errors.ts';

/** A catalog that means harm, of the service `hello`, and the whole message that refuses it. */
export interface RefusedCatalog {
  readonly name: string;
  readonly text: string;
  /** CATALOG_INVALID where none is named. */
  readonly code?: ErrorCode;
  readonly message: string;
}

export const head = (annotations = ''): string =>
  `metadata:\n  name: hello\n  annotations:\n    platform.io/catalog-version: 0.6.0\n${annotations}`;
export const spec = (sections: string): string => `${head()}spec:\n${sections}`;

/** What YAML hides from its readers, and names. */
export const REFUSED_YAML: readonly RefusedCatalog[] = [
  {
    name: 'a byte order mark inside of the name',
    text: `metadata:\n  name: "\ufeffhello"\n`,
    message:
      'catalog-info.yaml:2:9: metadata.name: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "\\ufeffhello"',
  },
  {
    name: 'NUL in the name, escaped',
    text: 'metadata:\n  name: "hel\\0lo"\n',
    message: 'catalog-info.yaml:2:9: metadata.name: text with a control character or half a character: remove it',
  },
  {
    name: 'NUL in the name',
    text: 'metadata:\n  name: hel\0lo\n',
    message: 'catalog-info.yaml:2:12: a control character (U+0000): remove it',
  },
  {
    name: 'NUL in a comment',
    text: `${head()}# a\0b\n`,
    message: 'catalog-info.yaml:5:4: a control character (U+0000): remove it',
  },
  {
    name: 'NUL in the owner, escaped',
    text: spec(`  owner: "ac\\0me"\n`),
    message: 'catalog-info.yaml:6:10: spec.owner: text with a control character or half a character: remove it',
  },
  {
    name: 'bytes that are not UTF-8',
    text: spec(`  owner: "ac\ufffdme"\n`),
    message: 'catalog-info.yaml:6:13: bytes that are not UTF-8: save the file as UTF-8',
  },
  {
    name: 'a number as the name',
    text: 'metadata:\n  name: 123\n',
    message:
      'catalog-info.yaml:2:9: metadata.name: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found 123',
  },
  {
    name: 'half a port',
    text: head('    platform.io/port: 80.5\n'),
    message:
      'catalog-info.yaml:5:23: metadata.annotations["platform.io/port"]: expected a port from 1 to 65535, found 80.5',
  },
  {
    name: 'an infinite port',
    text: head('    platform.io/port: .inf\n'),
    message:
      'catalog-info.yaml:5:23: metadata.annotations["platform.io/port"]: expected a port from 1 to 65535, found Infinity',
  },
  {
    name: 'a port that is no number',
    text: head('    platform.io/port: .nan\n'),
    message:
      'catalog-info.yaml:5:23: metadata.annotations["platform.io/port"]: expected a port from 1 to 65535, found NaN',
  },
  {
    name: 'a port below zero',
    text: head('    platform.io/port: -80\n'),
    message:
      'catalog-info.yaml:5:23: metadata.annotations["platform.io/port"]: expected a port from 1 to 65535, found -80',
  },
  {
    name: 'a port to the base of 60',
    text: head('    platform.io/port: 1:20\n'),
    message:
      'catalog-info.yaml:5:23: metadata.annotations["platform.io/port"]: expected a port from 1 to 65535, found "1:20"',
  },
  {
    name: 'a flag as the name',
    text: 'metadata:\n  name: true\n',
    message:
      'catalog-info.yaml:2:9: metadata.name: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found true',
  },
  {
    name: 'null as the name',
    text: 'metadata:\n  name: null\n',
    message:
      'catalog-info.yaml:2:9: metadata.name: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found null',
  },
  {
    name: 'a merge key that brings an owner',
    text: `base: &b { owner: evil }\n${head()}spec:\n  <<: *b\n`,
    message: 'catalog-info.yaml:7:3: spec: the merge key <<: repeat the entries here',
  },
  {
    name: 'a merge key beside an owner',
    text: `${head()}spec:\n  <<: { owner: evil }\n  owner: acme\n`,
    message: 'catalog-info.yaml:6:3: spec: the merge key <<: repeat the entries here',
  },
  {
    name: '__proto__ in spec',
    text: spec('  __proto__: { owner: evil }\n'),
    message: 'catalog-info.yaml:6:3: spec: the key __proto__: remove it',
  },
  {
    name: '__proto__ beside metadata',
    text: `${head()}__proto__: { metadata: { name: evil } }\n`,
    message: 'catalog-info.yaml:5:1: the key __proto__: remove it',
  },
  {
    name: '__proto__ in the annotations',
    text: 'metadata:\n  name: hello\n  annotations:\n    __proto__: { platform.io/dockerfile: /etc/passwd }\n',
    message: 'catalog-info.yaml:4:5: metadata.annotations: the key __proto__: remove it',
  },
  {
    name: '__proto__ in a route',
    text: spec('  routes: [{ path: /a, __proto__: { gas: -1 } }]\n'),
    message: 'catalog-info.yaml:6:24: spec.routes[0]: the key __proto__: remove it',
  },
  {
    name: 'a name in base64',
    text: `metadata:\n  name: !!binary aGVsbG8=\n`,
    message: 'catalog-info.yaml:2:18: metadata.name: the tag !!binary: write the value without a tag',
  },
  {
    name: 'a set in place of a list',
    text: spec('  routes: !!set { a, b }\n'),
    message: 'catalog-info.yaml:6:17: spec.routes: the tag !!set: write the value without a tag',
  },
  {
    name: 'an ordered map',
    text: spec('  config: !!omap [ a: 1 ]\n'),
    message: 'catalog-info.yaml:6:18: spec.config: the tag !!omap: write the value without a tag',
  },
  {
    name: 'a date as the owner',
    text: spec('  owner: !!timestamp 2001-12-14\n'),
    message: 'catalog-info.yaml:6:22: spec.owner: the tag !!timestamp: write the value without a tag',
  },
  {
    name: 'a tag of their own',
    text: spec('  owner: !evil acme\n'),
    message: 'catalog-info.yaml:6:16: spec.owner: the tag !evil: write the value without a tag',
  },
  {
    name: 'a tag that constructs a function',
    text: spec('  owner: !!js/function "x"\n'),
    message: 'catalog-info.yaml:6:24: spec.owner: the tag !!js/function: write the value without a tag',
  },
  {
    name: 'an alias inside of its anchor',
    text: `${head()}spec: &s\n  routes: [*s]\n`,
    message: 'catalog-info.yaml:6:12: spec.routes[0]: *s stands inside of what it repeats',
  },
  {
    name: 'an alias inside of its anchor, below a key that is not read',
    text: `${head()}x: &x { y: *x }\n`,
    message: 'catalog-info.yaml:5:12: x.y: *x stands inside of what it repeats',
  },
  {
    name: 'an alias before its anchor',
    text: `metadata: { name: *n }\nx: &n hello\n`,
    message: 'catalog-info.yaml:1:19: metadata.name: *n: no anchor of that name stands before it',
  },
  {
    name: 'the name twice on one line',
    text: 'metadata: { name: hello, name: evil }\n',
    message: 'catalog-info.yaml:1:26: metadata: the key name stands here more than once: keep one',
  },
  {
    name: 'the name twice, once in quotes',
    text: 'metadata:\n  name: hello\n  "name": evil\n',
    message: 'catalog-info.yaml:3:3: metadata: the key name stands here more than once: keep one',
  },
  {
    name: 'the name twice, once with a tag',
    text: 'metadata:\n  name: hello\n  !!str name: evil\n',
    message: 'catalog-info.yaml:3:9: metadata: the key name stands here more than once: keep one',
  },
  {
    name: 'the name twice, once by an alias',
    text: 'metadata:\n  &k name: hello\n  *k : evil\n',
    message: 'catalog-info.yaml:3:3: metadata: the key *k is an alias: write the key itself',
  },
  {
    name: 'a number twice, written differently',
    text: `${head()}spec: { 1: a, 0x1: b }\n`,
    message: 'catalog-info.yaml:5:15: spec: the key 1 stands here more than once: keep one',
  },
  {
    name: 'a mapping as a key',
    text: `? { a: b }\n: c\n${head()}`,
    message:
      'catalog-info.yaml:1:3: a key that is a mapping: write plain text, and for a template {{ … }} what it stands for',
  },
  {
    name: 'a list as a key',
    text: `${head()}spec:\n  ? [owner]\n  : evil\n`,
    message: 'catalog-info.yaml:6:5: spec: a key that is a list or a mapping: write plain text',
  },
  {
    name: 'a second document',
    text: `${head()}---\nmetadata: { name: evil }\n`,
    message:
      'catalog-info.yaml:5:1: a second document begins here; keep one in the file, and move others to files of their own',
  },
  {
    name: 'a second document after an end',
    text: `${head()}...\nmetadata: { name: evil }\n`,
    message:
      'catalog-info.yaml:6:1: a second document begins here; keep one in the file, and move others to files of their own',
  },
  {
    name: 'an older YAML, in which yes is a flag',
    text: `%YAML 1.1\n---\n${head()}spec:\n  owner: yes\n`,
    message: 'catalog-info.yaml:1:1: %YAML 1.1: the file is read as YAML 1.2; remove the directive',
  },
  {
    name: 'a prefix for tags',
    text: `%TAG ! tag:evil.example,2024:\n---\n${head()}`,
    message: 'catalog-info.yaml:1:1: %TAG !: write no tags; remove the directive',
  },
  {
    name: 'a YAML of the future',
    text: `%YAML 9.9\n---\n${head()}`,
    message: 'catalog-info.yaml:1:7: a directive that is not known: remove it',
  },
  {
    name: 'lines that end as on old machines',
    text: 'metadata:\r  name: hello\r',
    message:
      'catalog-info.yaml:1:10: a line that ends as on old machines (U+000D alone): save the file with line ends LF or CRLF',
  },
  {
    name: 'a next-line character in the name',
    text: `metadata:\n  name: "hello\u0085"\n`,
    message: 'catalog-info.yaml:2:15: a control character (U+0085): remove it',
  },
  {
    name: 'a name that is shown from right to left',
    text: `metadata:\n  name: "hel\u202elo"\n`,
    message: 'catalog-info.yaml:2:13: a mark that changes the direction of text (U+202E): remove it',
  },
  {
    name: 'a comment that is shown from right to left',
    text: `${head()}# \u2067owner: acme\n`,
    message: 'catalog-info.yaml:5:3: a mark that changes the direction of text (U+2067): remove it',
  },
  {
    name: 'a name with a mark that turns it, escaped',
    text: 'metadata:\n  name: "hel\\u202elo"\n',
    message:
      'catalog-info.yaml:2:9: metadata.name: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "hel\\u202elo"',
  },
  {
    name: 'a blank of no width in the name',
    text: 'metadata:\n  name: hel\u200blo\n',
    message:
      'catalog-info.yaml:2:9: metadata.name: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "hel\\u200blo"',
  },
  {
    name: 'a number and its text as two keys',
    text: `${head()}spec: { 1: a, "1": b }\n`,
    message: 'catalog-info.yaml:5:15: spec: the key 1 stands here more than once: keep one',
  },
  {
    name: 'a port in octal',
    text: head('    platform.io/port: 0o17777\n'),
    message:
      'catalog-info.yaml:5:23: metadata.annotations["platform.io/port"]: the number 0o17777 is read as 8191: write 8191, or "0o17777" in quotes',
  },
];
