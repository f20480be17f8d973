import type { ErrorCode } from '../../domain/errors.ts';

/** A catalog or platform file that means harm. */
export interface HostileCatalog {
  readonly name: string;
  /** Name of the file; `catalog-info.yaml` when left out. */
  readonly file?: string;
  /** {name} becomes the service's name, {victimName} that of another one. */
  readonly text: string;
  readonly code: ErrorCode;
  readonly message: RegExp;
}

const head = (annotations = ''): string =>
  `metadata:\n  name: '{name}'\n  annotations:\n    platform.io/catalog-version: 0.6.0\n${annotations}`;
const INVALID = 'CATALOG_INVALID' as const;

/** Nine levels of nine aliases each: 387 million values. */
const BOMB = Array.from('abcdefghi', (key, level) => {
  const before = String.fromCharCode(key.charCodeAt(0) - 1);
  return `${key}: &${key} [${level === 0 ? 'x' : Array(9).fill(`*${before}`).join(', ')}]`;
}).join('\n');

export const CATALOGS: readonly HostileCatalog[] = [
  { name: 'aliases that multiply', text: `${BOMB}\n${head()}`, code: INVALID, message: /aliases expand to too much/ },
  {
    name: 'an alias of itself',
    text: `a: &a [*a]\n${head()}spec: *a\n`,
    code: INVALID,
    message: /1:8: a\[0\]: \*a stands inside of what it repeats/,
  },
  {
    name: 'lists nested without measure',
    text: `${head()}spec: ${'['.repeat(20_000)}`,
    code: INVALID,
    message: /nested too deep|not valid YAML/,
  },
  {
    name: 'more than a catalog may hold',
    text: `${head()}# ${'x'.repeat(70_000)}\n`,
    code: 'SOURCE_REFUSED',
    message: /larger than 65536 bytes/,
  },
  {
    name: 'keys of the prototype in place of the name',
    text: 'metadata:\n  __proto__: { name: "{name}" }\n  constructor: { prototype: { name: x } }\n  name: 5\n',
    code: INVALID,
    message: /2:3: metadata: the key __proto__: remove it/,
  },
  {
    name: 'a key twice',
    text: "metadata:\n  name: '{name}'\n  name: '{victimName}'\n",
    code: INVALID,
    message: /stands here more than once/,
  },
  {
    name: 'the name of another service',
    text: "metadata:\n  name: '{victimName}'\n",
    code: INVALID,
    message: /names the service/,
  },
  {
    name: 'the name of another service in other letters',
    text: "metadata:\n  name: 'vіctim'\n",
    code: INVALID,
    message: /metadata\.name|names the service/,
  },
  {
    name: 'a name that is a path',
    text: "metadata:\n  name: '../{victimName}'\n",
    code: INVALID,
    message: /metadata\.name|names the service/,
  },
  {
    name: 'a tag that constructs an object',
    text: `${head()}spec: !!js/function "process.exit()"\n`,
    code: INVALID,
    message: /spec|tag/i,
  },
  {
    name: 'a container file outside of the source',
    text: head('    platform.io/dockerfile: ../../../etc/passwd\n'),
    code: INVALID,
    message: /expected a path inside the app/,
  },
  {
    name: 'a health endpoint with the end of a line',
    text: head('    platform.io/health-endpoint: "/ HTTP/1.1\\r\\nHost: other"\n'),
    code: INVALID,
    message: /health-endpoint/,
  },
  {
    name: 'a health endpoint on another host',
    text: head('    platform.io/health-endpoint: "http://169.254.169.254/"\n'),
    code: INVALID,
    message: /health-endpoint/,
  },
  {
    name: 'a health endpoint that browsers read as another host',
    text: head("    platform.io/health-endpoint: '//169.254.169.254/'\n"),
    code: INVALID,
    message: /health-endpoint/,
  },
  { name: 'a port beyond all', text: head('    platform.io/port: 65536\n'), code: INVALID, message: /port/ },
  {
    name: 'a variable of the platform',
    text: `${head()}spec:\n  config:\n    - key: IDP_CLIENT_SECRET\n      default: mine\n`,
    code: 'RESERVED_ENV_VAR',
    message: /IDP_CLIENT_SECRET/,
  },
  {
    name: 'the variable of the loader',
    text: `${head()}spec:\n  config:\n    - key: "LD_PRELOAD=x"\n`,
    code: INVALID,
    message: /spec\.config/,
  },
  {
    name: 'an app path outside of the source',
    file: '.platform.yaml',
    text: 'appPath: ../../..\n',
    code: 'PLATFORM_CONFIG_INVALID',
    message: /relative path inside/,
  },
  {
    name: 'a build context at the root of the machine',
    file: '.platform.yaml',
    text: 'buildContext: /\n',
    code: 'PLATFORM_CONFIG_INVALID',
    message: /relative path inside/,
  },
];
