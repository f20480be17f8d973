import { head, type RefusedCatalog, spec } from './catalog-rows.ts';

/** Fields that mean harm. */
export const REFUSED_FIELDS: readonly RefusedCatalog[] = [
  {
    name: 'two scopes in one',
    text: spec('  dependencies: [{ service: notes, scopes: ["read write"] }]\n'),
    message:
      'catalog-info.yaml:6:45: spec.dependencies[0].scopes[0]: expected the name of a scope: 1 to 200 printable ASCII characters without blanks, quotes and backslashes, found "read write"',
  },
  {
    name: 'a scope of two lines',
    text: spec('  dependencies: [{ service: notes, scopes: ["read\\nadmin"] }]\n'),
    message:
      'catalog-info.yaml:6:45: spec.dependencies[0].scopes[0]: expected the name of a scope: 1 to 200 printable ASCII characters without blanks, quotes and backslashes, found "read\\nadmin"',
  },
  {
    name: 'a number as a scope',
    text: spec('  dependencies: [{ service: notes, scopes: [1] }]\n'),
    message:
      'catalog-info.yaml:6:45: spec.dependencies[0].scopes[0]: expected the name of a scope: 1 to 200 printable ASCII characters without blanks, quotes and backslashes, found 1',
  },
  {
    name: 'a scope of no characters',
    text: spec('  dependencies: [{ service: notes, scopes: [""] }]\n'),
    message:
      'catalog-info.yaml:6:45: spec.dependencies[0].scopes[0]: expected the name of a scope: 1 to 200 printable ASCII characters without blanks, quotes and backslashes, found ""',
  },
  {
    name: 'a word as the list of scopes',
    text: spec('  dependencies: [{ service: notes, scopes: read }]\n'),
    message: 'catalog-info.yaml:6:44: spec.dependencies[0].scopes: expected a list of scopes, found "read"',
  },
  {
    name: 'too many scopes',
    text: spec(`  dependencies: [{ service: notes, scopes: [${Array.from({ length: 51 }, (_, i) => `s${i}`)}] }]\n`),
    message: 'catalog-info.yaml:6:44: spec.dependencies[0].scopes: expected at most 50 scopes, found a list of 51',
  },
  {
    name: 'the id of a service in place of its name',
    text: spec('  dependencies: [{ service: svc_1 }]\n'),
    message:
      'catalog-info.yaml:6:29: spec.dependencies[0].service: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "svc_1"',
  },
  {
    name: 'an address as a dependency',
    text: spec('  dependencies: [{ service: "http://10.0.0.1" }]\n'),
    message:
      'catalog-info.yaml:6:29: spec.dependencies[0].service: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "http://10.0.0.1"',
  },
  {
    name: 'a path as a dependency',
    text: spec('  dependencies: [{ service: ../notes }]\n'),
    message:
      'catalog-info.yaml:6:29: spec.dependencies[0].service: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "../notes"',
  },
  {
    name: '__proto__ as a dependency',
    text: spec('  dependencies: [{ service: __proto__ }]\n'),
    message:
      'catalog-info.yaml:6:29: spec.dependencies[0].service: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "__proto__"',
  },
  {
    name: 'a number as the owner',
    text: spec('  owner: 5\n'),
    message:
      'catalog-info.yaml:6:10: spec.owner: expected the slug of an org: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found 5',
  },
  {
    name: 'a list of owners',
    text: spec('  owner: [acme]\n'),
    message:
      'catalog-info.yaml:6:10: spec.owner: expected the slug of an org: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found a list of 1',
  },
  {
    name: 'a path as the owner',
    text: spec('  owner: ../acme\n'),
    message:
      'catalog-info.yaml:6:10: spec.owner: expected the slug of an org: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "../acme"',
  },
  {
    name: 'an owner in capitals',
    text: spec('  owner: ACME\n'),
    message:
      'catalog-info.yaml:6:10: spec.owner: expected the slug of an org: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "ACME"',
  },
  {
    name: 'an owner with a blank after it',
    text: spec(`  owner: "acme "\n`),
    message:
      'catalog-info.yaml:6:10: spec.owner: expected the slug of an org: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "acme "',
  },
  {
    name: 'a Cyrillic letter in the name',
    text: `metadata:\n  name: hellо\n`,
    message:
      'catalog-info.yaml:2:9: metadata.name: expected a service name: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit, found "hellо"',
  },
  {
    name: 'a container file of the machine',
    text: head('    platform.io/dockerfile: /etc/passwd\n'),
    message:
      'catalog-info.yaml:5:29: metadata.annotations["platform.io/dockerfile"]: expected a path inside the app, relative and without .., found "/etc/passwd"',
  },
  {
    name: 'a container file by backslashes',
    text: head('    platform.io/dockerfile: "..\\\\x"\n'),
    message:
      'catalog-info.yaml:5:29: metadata.annotations["platform.io/dockerfile"]: expected a path inside the app, relative and without .., found "..\\\\x"',
  },
  {
    name: 'a container file on a drive',
    text: head('    platform.io/dockerfile: "C:/x"\n'),
    message:
      'catalog-info.yaml:5:29: metadata.annotations["platform.io/dockerfile"]: expected a path inside the app, relative and without .., found "C:/x"',
  },
  {
    name: 'a container file above the source, on a way',
    text: head('    platform.io/dockerfile: a/../../b\n'),
    message:
      'catalog-info.yaml:5:29: metadata.annotations["platform.io/dockerfile"]: expected a path inside the app, relative and without .., found "a/../../b"',
  },
  {
    name: 'a container file of two lines',
    text: head('    platform.io/dockerfile: "a\\nb"\n'),
    message:
      'catalog-info.yaml:5:29: metadata.annotations["platform.io/dockerfile"]: expected a path inside the app, relative and without .., found "a\\nb"',
  },
  {
    name: 'a version of Node.js that is a command',
    text: head('    platform.io/node-version: "22; id"\n'),
    message:
      'catalog-info.yaml:5:31: metadata.annotations["platform.io/node-version"]: expected a version of Node.js such as 22 or 22.x, found "22; id"',
  },
  {
    name: 'a package manager that is a command',
    text: head('    platform.io/package-manager: "pnpm@9.1.0 && id"\n'),
    message:
      'catalog-info.yaml:5:34: metadata.annotations["platform.io/package-manager"]: expected npm, yarn, pnpm or bun, and after an @ its version, such as pnpm@10.20.0, found "pnpm@9.1.0 && id"',
  },
  {
    name: 'an output folder above the source',
    text: head('    platform.io/output-folder: ../x\n'),
    message:
      'catalog-info.yaml:5:32: metadata.annotations["platform.io/output-folder"]: expected a folder inside the app, relative, of letters, digits, dots, dashes and slashes, found "../x"',
  },
  {
    name: 'an output folder that is an option',
    text: head('    platform.io/output-folder: "-rf"\n'),
    message:
      'catalog-info.yaml:5:32: metadata.annotations["platform.io/output-folder"]: expected a folder inside the app, relative, of letters, digits, dots, dashes and slashes, found "-rf"',
  },
  {
    name: 'a writable /proc',
    text: head('    platform.io/writable-paths: /proc\n'),
    message:
      'catalog-info.yaml:5:33: metadata.annotations["platform.io/writable-paths"][0]: expected absolute folders of the container separated by commas, such as /app/data, and none of /proc, /sys, /dev, /etc, found "/proc"',
  },
  {
    name: 'a writable folder that leads to /etc',
    text: head('    platform.io/writable-paths: /app/../etc\n'),
    message:
      'catalog-info.yaml:5:33: metadata.annotations["platform.io/writable-paths"][0]: expected absolute folders of the container separated by commas, such as /app/data, and none of /proc, /sys, /dev, /etc, found "/app/../etc"',
  },
  {
    name: 'a start command that adds an instruction',
    text: head('    platform.io/start-command: "a\\nUSER root"\n'),
    message:
      'catalog-info.yaml:5:32: metadata.annotations["platform.io/start-command"]: expected one line of at most 1000 characters, found "a\\nUSER root"',
  },
  {
    name: 'a variable with its value',
    text: head('    platform.io/env-vars: "A=B"\n'),
    message:
      'catalog-info.yaml:5:27: metadata.annotations["platform.io/env-vars"][0]: expected a variable name: letters, digits and underscores, not beginning with a digit, found "A=B"',
  },
  {
    name: 'a variable of the platform in small letters',
    text: spec('  config: [{ key: idp_url }]\n'),
    code: 'RESERVED_ENV_VAR',
    message: 'spec.config: idp_url: the platform provides this itself; remove it, or choose another name',
  },
  {
    name: 'NUL in a default',
    text: spec('  config: [{ key: A, default: "a\\0b" }]\n'),
    message:
      'catalog-info.yaml:6:31: spec.config[0].default: text with a control character or half a character: remove it',
  },
  {
    name: 'a mapping as a default',
    text: spec('  config: [{ key: A, default: { a: 1 } }]\n'),
    message: 'catalog-info.yaml:6:31: spec.config[0].default: expected text, a number, true or false, found a mapping',
  },
  {
    name: 'a word as a flag',
    text: spec('  config: [{ key: A, secret: "false" }]\n'),
    message: 'catalog-info.yaml:6:30: spec.config[0].secret: expected true or false, found "false"',
  },
  {
    name: 'a price below zero',
    text: spec('  routes: [{ path: /a, gas: -1 }]\n'),
    message: 'catalog-info.yaml:6:29: spec.routes[0].gas: expected a whole number of tokens, 0 or more, found -1',
  },
  {
    name: 'an infinite price',
    text: spec('  routes: [{ path: /a, gas: 1e400 }]\n'),
    message: 'catalog-info.yaml:6:29: spec.routes[0].gas: expected at most 9007199254740991 tokens, found Infinity',
  },
  {
    name: 'a price that no number holds',
    text: spec('  routes: [{ path: /a, gas: 9007199254740993 }]\n'),
    message:
      'catalog-info.yaml:6:29: spec.routes[0].gas: the number 9007199254740993 is farther from 0 than a number is read exactly, which is 9007199254740991; for a text, write "9007199254740993" in quotes',
  },
  {
    name: 'a route that leads up',
    text: spec('  routes: [{ path: /../admin }]\n'),
    message:
      'catalog-info.yaml:6:20: spec.routes[0].path: expected a path that begins with one /, without .., of at most 1000 characters (parameters as {name} or :name), found "/../admin"',
  },
  {
    name: 'a route that leads up, encoded',
    text: spec('  routes: [{ path: /%2e%2e/admin }]\n'),
    message:
      'catalog-info.yaml:6:20: spec.routes[0].path: expected a path that begins with one /, without .., of at most 1000 characters (parameters as {name} or :name), found "/%2e%2e/admin"',
  },
  {
    name: 'a route on another host',
    text: spec('  routes: [{ path: //evil.example }]\n'),
    message:
      'catalog-info.yaml:6:20: spec.routes[0].path: expected a path that begins with one /, without .., of at most 1000 characters (parameters as {name} or :name), found "//evil.example"',
  },
  {
    name: 'a route with a scheme',
    text: spec('  routes: [{ path: "http://evil" }]\n'),
    message:
      'catalog-info.yaml:6:20: spec.routes[0].path: expected a path that begins with one /, without .., of at most 1000 characters (parameters as {name} or :name), found "http://evil"',
  },
  {
    name: 'a prefix that leads up',
    text: spec('  routes: [{ path: /a, stripPrefix: /../ }]\n'),
    message:
      'catalog-info.yaml:6:37: spec.routes[0].stripPrefix: expected a path that begins with one /, without .., of at most 1000 characters, found "/../"',
  },
  {
    name: 'a queue on another host',
    text: spec('  queues: [{ name: a, path: //evil.example }]\n'),
    message:
      'catalog-info.yaml:6:29: spec.queues[0].path: expected a path that begins with one /, without .., found "//evil.example"',
  },
  {
    name: 'a path as the name of a queue',
    text: spec('  queues: [{ name: ../a }]\n'),
    message:
      'catalog-info.yaml:6:20: spec.queues[0].name: expected a name: 1 to 63 lower-case letters, digits, dashes, dots and underscores, found "../a"',
  },
  {
    name: 'a schedule of every second',
    text: spec('  schedules: [{ name: a, cron: "* * * * * *" }]\n'),
    message:
      'catalog-info.yaml:6:32: spec.schedules[0].cron: expected five fields such as "0 2 * * *": minute, hour, day, month, weekday, in UTC, found "* * * * * *"',
  },
  {
    name: 'a path as the name of a bucket',
    text: spec('  storage: [{ name: ../b, tier: s3-sm }]\n'),
    message:
      'catalog-info.yaml:6:21: spec.storage[0].name: expected a name: 1 to 63 lower-case letters, digits, dashes and underscores, beginning with a letter or digit, found "../b"',
  },
  {
    name: 'a thousand buckets',
    text: spec(`  storage: [${Array.from({ length: 1000 }, (_, i) => `{name: b${i}, tier: s3-sm}`)}]\n`),
    message: 'catalog-info.yaml:6:12: spec.storage: expected at most 50 buckets, found a list of 1000',
  },
  {
    name: 'a method as a kind of database',
    text: spec('  databases: [{ type: toString }]\n'),
    message:
      'catalog-info.yaml:6:23: spec.databases[0].type: expected one of mongodb, postgres, redis, neo4j, found "toString"',
  },
  {
    name: 'a mapping as the version',
    text: `metadata:\n  name: hello\n  annotations:\n    platform.io/catalog-version: { a: 1 }\n`,
    message:
      'catalog-info.yaml:4:34: metadata.annotations["platform.io/catalog-version"]: expected a version such as 0.6.0, found a mapping',
  },
  {
    name: 'a list of annotations',
    text: `metadata:\n  name: hello\n  annotations: [a]\n`,
    message: 'catalog-info.yaml:3:16: metadata.annotations: expected a mapping of annotations, found a list of 1',
  },
  {
    name: 'a word as spec',
    text: `${head()}spec: hi\n`,
    message: 'catalog-info.yaml:5:7: spec: expected a mapping, found "hi"',
  },
  {
    name: 'tabs',
    text: `metadata:\n\tname: hello\n`,
    message: 'catalog-info.yaml:2:1: not valid YAML: Tabs are not allowed as indentation; indent with blanks',
  },
  {
    name: 'half a character in the name',
    text: `metadata:\n  name: "hel\\ud800lo"\n`,
    message: 'catalog-info.yaml:2:9: metadata.name: text with a control character or half a character: remove it',
  },
];
