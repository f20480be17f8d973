import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FailedAt } from '../../../domain/deploys/failure-class.ts';
import { remedyOf } from '../../../domain/deploys/failure-remedies.ts';

type Case = readonly [printed: string, at: FailedAt, told: RegExp];

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'a variable that is not set, by its name': [
    ['Error: DATABASE_URL is not set', 'start', /^The variable DATABASE_URL is not set\. .*--secret DATABASE_URL/],
    ['error: Environment variable not found: DATABASE_URL.', 'start', /DATABASE_URL/],
    ["throw new Error('Missing required environment variable: STRIPE_KEY')", 'start', /STRIPE_KEY/],
    ['Error: process.env.JWT_SECRET is undefined', 'start', /JWT_SECRET/],
    ['❌ Invalid environment variables: { SESSION_KEY: [ "Required" ] }', 'start', /SESSION_KEY/],
    ['"SMTP_HOST" is required', 'start', /SMTP_HOST/],
    ['Error: Missing API_TOKEN', 'start', /API_TOKEN/],
    [
      "Error: env must have required property 'API_HOST', env must have required property 'API_PORT'",
      'start',
      /^The variables API_HOST, API_PORT are not set\. .*--secret NAME/,
    ],
    ['"MONGODB_URL" is required. "JWT_SECRET" is required', 'start', /^The variables MONGODB_URL, JWT_SECRET are/],
    ['"code": "invalid_type",\n"path": [\n  "DB_PATH"\n],', 'start', /^The variable DB_PATH is not set/],
    ['✖ Invalid input: expected string, received undefined\n  → at LOG_LEVEL', 'start', /^The variable LOG_LEVEL is/],
    [
      'The following environment variables are not defined:\n -  DATABASE_HOST\n -  APP_SECRET',
      'build',
      /^The build needs the variables DATABASE_HOST, APP_SECRET: name them in platform\.io\/env-vars/,
    ],
    ['Missing required environment variables:\n  - DATABASE_HOST\n', 'start', /^The variable DATABASE_HOST is not set/],
    [
      'Error: Environment variable not found: SENTRY_DSN',
      'build',
      /needs the variable SENTRY_DSN: name it in platform\.io\/env-vars/,
    ],
  ],
  'a database that does not answer': [
    [
      'Error: connect ECONNREFUSED 127.0.0.1:5432',
      'start',
      /localhost, which is its own container: declare it .*`- type: postgres`.* from POSTGRES_URI; or set the address/,
    ],
    ['Error: getaddrinfo ENOTFOUND postgres', 'start', /by the name postgres, .*: declare it .*`- type: postgres`/],
    ['could not translate host name "postgres" to address', 'start', /by the name postgres, which no machine has here/],
    ['Error: getaddrinfo EAI_AGAIN db', 'start', /by the name db, which no machine has here: set the address of yours/],
    ['Error: getaddrinfo ENOTFOUND db.acme.example', 'start', /database does not answer: check the address you set/],
    [
      'MongoServerSelectionError: connect ECONNREFUSED ::1:27017',
      'start',
      /localhost, which is its own container: declare it .*`- type: mongodb`/,
    ],
    ['Error: connect ECONNREFUSED 127.0.0.1:3306', 'start', /its own container: set the address of yours/],
    ["Can't reach database server at `db.internal:5432`", 'start', /database does not answer.*WORKLOAD_NETWORKS/],
    ['Error: connect ECONNREFUSED 127.0.0.1:6379', 'build', /builds reach none/],
  ],
  'a lockfile that is out of step, with its one remedy': [
    [
      'npm error code EUSAGE\nnpm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
      'build',
      /run `npm install`, and commit package-lock\.json\.$/,
    ],
    ['error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.', 'build', /`yarn install`/],
    ['YN0028: │ The lockfile would have been modified by this install', 'build', /`yarn install`/],
    ['ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', 'build', /`pnpm install`/],
    ['error: lockfile had changes, but lockfile is frozen', 'build', /`bun install`/],
  ],
  'a packed package that is not there, and versions of another package manager': [
    [
      "npm error code ENOENT\nnpm error enoent ENOENT: no such file or directory, open '/app/vendor/kit-1.0.0.tgz'",
      'build',
      /^The packed package vendor\/kit-1\.0\.0\.tgz, .* is not in the repository: commit it/,
    ],
    [
      'npm error code EUNSUPPORTEDPROTOCOL\nnpm error Unsupported URL Type "workspace:": workspace:*',
      'build',
      /begin with workspace:, .*packageManager/,
    ],
  ],
  'packages whose versions do not fit': [
    [
      'npm error code ERESOLVE\nnpm error ERESOLVE could not resolve\nnpm error While resolving: a@1.0.0',
      'build',
      /legacy-peer-deps=true/,
    ],
    ['npm ERR! ERESOLVE unable to resolve dependency tree', 'build', /do not fit/],
  ],
  'a package that refuses the Node.js of the app': [
    [
      'error undici@7.2.0: The engine "node" is incompatible with this module. Expected version ">=20.18.1". Got "20.9.0"',
      'build',
      /^A package refuses the Node\.js that engines\.node .* asks for, and wants >=20\.18\.1: /,
    ],
    [
      'npm error code EBADENGINE\nnpm error notsup Not compatible with your version of node/npm: lib@2.0.0',
      'build',
      /refuses the Node\.js/,
    ],
    ['npm error notsup Not compatible with your version of node/npm: lib@2.0.0', 'build', /^lib@2\.0\.0 refuses/],
    [
      'ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)',
      'build',
      /engines\.node/,
    ],
  ],
  'a hash that OpenSSL has no more': [
    [
      "Error: error:0308010C:digital envelope routines::unsupported\n  code: 'ERR_OSSL_EVP_UNSUPPORTED'",
      'build',
      /MD4.*webpack before 5\.61.*NODE_OPTIONS=--openssl-legacy-provider/,
    ],
    ['Error: error:0308010C:digital envelope routines::unsupported', 'start', /uses MD4/],
  ],
  'the program of a package for this machine that is not installed, by its name': [
    [
      'Error: Could not load the "sharp" module using the linux-x64 runtime',
      'start',
      /^The program of sharp for Linux is/,
    ],
    [
      'Error: Cannot find module @rollup/rollup-linux-x64-gnu. npm has a bug',
      'build',
      /^@rollup\/rollup-linux-x64-gnu is/,
    ],
    [
      "Error: Cannot find module '../lightningcss.linux-x64-gnu.node'",
      'build',
      /^lightningcss\.linux-x64-gnu is missing/,
    ],
    [
      'The package "@esbuild/linux-x64" could not be found, and is needed by esbuild.',
      'build',
      /^@esbuild\/linux-x64 is/,
    ],
    ['⨯ Failed to load SWC binary for linux/x64', 'build', /@swc\/core.*commit the new lockfile/],
  ],
  'engines of Prisma that builds cannot download': [
    [
      'Error: request to https://binaries.prisma.sh/all_commits/x/debian-openssl-3.0.x/schema-engine.gz.sha256 failed',
      'build',
      /Prisma could not download its engines.*BUILD_REGISTRIES/,
    ],
  ],
  'a native module that cannot be compiled, by its name and cause': [
    [
      "Package 'vips-cpp', required by 'virtual:world', not found\nnpm error gyp ERR! cwd /app/node_modules/sharp",
      'build',
      /native module sharp could not be compiled \(Package 'vips-cpp'.*platform\.io\/dockerfile/,
    ],
    [
      '../a.cc:1:10: fatal error: usb.h: No such file or directory\ngyp ERR! cwd /app/node_modules/.pnpm/x@1/node_modules/@a/usb',
      'build',
      /native module @a\/usb could not be compiled \(fatal error: usb\.h/,
    ],
  ],
  'a native module whose install script did not run': [
    [
      'Error: Could not locate the bindings file. Tried:\n → /app/node_modules/.pnpm/better-sqlite3@12.0.0/node_modules/better-sqlite3/build/better_sqlite3.node',
      'start',
      /native module better-sqlite3 has no program.*onlyBuiltDependencies/,
    ],
    [
      "Error: Cannot find module '/app/node_modules/@a/bcrypt/lib/binding/napi-v3/bcrypt_lib.node'",
      'start',
      /native module @a\/bcrypt has no program/,
    ],
  ],
  'a native module that cannot be loaded': [
    [
      'Error: libssl.so.1.1: cannot open shared object file: No such file or directory',
      'start',
      /needs libssl\.so\.1\.1/,
    ],
    ["Error: /lib/libc.so.6: version `GLIBC_2.38' not found (required by /app/a.node)", 'start', /needs GLIBC_2\.38/],
    [
      'was compiled against a different Node.js version using\nNODE_MODULE_VERSION 115',
      'start',
      /leave node_modules out/,
    ],
  ],
  'a folder that it cannot write to': [
    ["Error: EROFS: read-only file system, mkdir '/app/data'", 'start', /^It writes to \/app\/data, .*writable-paths/],
    [
      "Error: ENOENT: no such file or directory, mkdir '/etc/todos'",
      'start',
      /^It writes to \/etc\/todos, which is read-only and stays so: .*a folder of its own such as \/data/,
    ],
    ['Error: SQLITE_CANTOPEN: unable to open database file', 'start', /^It writes to a folder that is read-only/],
    [
      "Error: EACCES: permission denied, open '/app/db/app.sqlite'",
      'start',
      /^It writes to \/app\/db\/app\.sqlite, which is read-only: .*name the folder in platform\.io\/writable-paths/,
    ],
    [
      "Error: EROFS: read-only file system, mkdir './data/'",
      'start',
      /^It writes to \.\/data\/ in its working folder, .*whole path, such as \/app\/data, in platform\.io\/writable-paths/,
    ],
    ["PermissionError: [Errno 13] Permission denied: '/data/cache'", 'start', /^It writes to \/data\/cache, /],
    ['panic: mkdir /var/lib/app: read-only file system', 'start', /^It writes to \/var\/lib\/app, /],
    ["mkdir: cannot create directory '/logs': Permission denied", 'start', /^It writes to \/logs, /],
    [
      'nginx: [emerg] mkdir() "/var/lib/nginx/body" failed (30: Read-only file system)',
      'start',
      /^It writes to \/var\/lib\/nginx\/body, /,
    ],
  ],
  'a port that is taken': [
    ['Error: listen EADDRINUSE: address already in use :::3000', 'start', /taken by another program/],
  ],
  'memory that ran out': [
    ['The process ran out of memory (limit 256 MiB) and was killed.', 'start', /platform\.io\/pod-tier/],
    [
      'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
      'build',
      /BUILD_MEMORY_BYTES/,
    ],
    ['executor failed running [/bin/sh -c npm run build]: exit code: 137', 'build', /BUILD_MEMORY_BYTES/],
  ],
  'type errors': [
    [
      "src/app.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      'build',
      /^TypeScript finds errors/,
    ],
    ["Type error: Cannot find module 'x' or its corresponding type declarations.", 'build', /^TypeScript finds errors/],
  ],
  'a module that is missing': [
    ["Error: Cannot find module 'express'", 'start', /package express is not installed: add it to dependencies/],
    [
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@acme/x' imported from /app/a.js",
      'start',
      /package @acme\/x/,
    ],
    ["Error: Cannot find module '/app/dist/index.js'", 'start', /file \/app\/dist\/index\.js is not in the image/],
    ["Module not found: Can't resolve './Header'", 'build', /file \.\/Header .*upper and lower case/],
    ['sh: 1: tsc: not found', 'start', /command tsc is not in the image/],
    ['sh: vite: not found', 'build', /command vite is not there while building/],
    ['/bin/sh: line 1: turbo: command not found', 'build', /command turbo/],
  ],
  'a network that is not there while building': [
    ['npm error code ENOTFOUND', 'build', /builds reach package registries/],
    [
      'FetchError: request to https://fonts.googleapis.com failed, reason: getaddrinfo EAI_AGAIN',
      'build',
      /builds reach/,
    ],
    ['curl: (6) Could not resolve host: example.com', 'build', /builds reach/],
  ],
};

describe('the remedy of a failure, by what its program printed', () => {
  for (const [what, cases] of Object.entries(CASES)) {
    it(`tells of ${what}, in one line`, () => {
      for (const [printed, at, told] of cases) {
        const remedy = remedyOf(at, ['> app@1.0.0 start', printed, '    at main (/app/server.js:3:9)']);
        assert.match(remedy ?? 'nothing', told, printed);
        assert.ok(!remedy?.includes('\n'));
      }
    });
  }

  it('tells nothing where the lines tell no known cause', () => {
    for (const printed of [
      'Error: boom',
      'ReferenceError: MY_CONST is not defined',
      "TypeError: Cannot read properties of undefined (reading 'x')",
      'Server listening on 3000',
      'GET /favicon.ico 404 not found',
      'The environment is set:\n - PRODUCTION',
      'Error: listen EACCES: permission denied 0.0.0.0:80',
      'Error: spawn /app/run EACCES',
    ]) {
      assert.equal(remedyOf('start', [printed]), null, printed);
    }
  });

  it('quotes no control characters, no end of a line and no advice of the program', () => {
    for (const name of [
      'a\u001b[2J',
      'a\nRun this instead: b',
      'a; run this instead',
      'a\u2028b',
      'a\u202eb',
      'a'.repeat(201),
    ]) {
      for (const at of ['build', 'start'] as const) {
        for (const printed of [
          `Cannot find module '${name}'`,
          `Cannot find package '${name}'`,
          `Can't resolve '${name}'`,
          `failed to resolve import "${name}"`,
        ]) {
          assert.equal(remedyOf(at, [printed]), null, JSON.stringify(printed));
        }
      }
    }
    const escapes = ['fatal error: a\u001b[2J: No such file or directory', 'gyp ERR! cwd /app/node_modules/sharp'];
    assert.match(remedyOf('build', escapes) ?? '', /^The native module sharp could not be compiled \(see the errors/);
    assert.equal(remedyOf('build', ['gyp ERR! cwd /app/node_modules/a\u001b[2J']), null);
  });

  it('quotes no beginning of a word that the end of an overlong line cuts, which could be a secret', () => {
    for (let blanks = 440; blanks < 500; blanks += 1) {
      const before = '-'.repeat(blanks);
      const missing = remedyOf('start', [`${before} Missing SECRET_${'KEY_'.repeat(30)}END`]);
      assert.equal(missing, null, `${blanks}: ${missing}`);
      const module = remedyOf('build', [`gyp ERR! cwd /${before}/node_modules/${'secret'.repeat(20)}`]);
      assert.equal(module, null, `${blanks}: ${module}`);
    }
    assert.equal(remedyOf('build', [`gyp ERR! cwd /app/node_modules/${'secret'.repeat(40)}`]), null);
  });

  it('an overlong line does not keep the worker busy', () => {
    const long = `${'A_'.repeat(500_000)} ${'missing '.repeat(100_000)}${'ECONNREFUSED '.repeat(200_000)}`;
    assert.equal(remedyOf('start', [long]), null);
  });
});

describe('a variable that only the platform sets', () => {
  const MONGO = 'Error: MONGODB_URI is not set';
  const rows: readonly [what: string, known: Parameters<typeof remedyOf>[2], told: RegExp][] = [
    ['of a database without a server', { declared: ['mongodb'], given: [] }, /no MongoDB server.*DB_MONGODB_ADMIN_URI/],
    [
      'of one that is not declared',
      { declared: ['postgres'], given: ['postgres'] },
      /declares no MongoDB.*type: mongodb/,
    ],
    ['of one that the workload has', { declared: ['mongodb'], given: ['mongodb'] }, /has set it/],
    ['without a catalog', null, /type: mongodb.*DB_MONGODB_ADMIN_URI/],
  ];
  for (const [what, known, told] of rows) {
    it(`names the real cause: ${what}`, () => {
      const remedy = remedyOf('start', [MONGO], known) ?? '';
      assert.match(remedy, /^The variable MONGODB_URI is not set\. The platform alone sets MONGODB_URI/);
      assert.match(remedy, told);
      assert.doesNotMatch(remedy, /--set|--secret/);
    });
  }

  it('beside one of the service names both causes', () => {
    const lines = ['"MONGODB_URI" is required. "JWT_SECRET" is required'];
    const remedy = remedyOf('start', lines, { declared: ['mongodb'], given: [] }) ?? '';
    assert.match(remedy, /--secret JWT_SECRET.* no MongoDB server is configured/);
    assert.doesNotMatch(remedy, /(?:--secret|--set) MONGODB_URI/);
  });

  it('is kept for the platform where it is of no database', () => {
    assert.match(remedyOf('start', ['Error: NODE_ENV is not set']) ?? '', /NODE_ENV is kept for the platform/);
  });

  it('is not there while the image is built', () => {
    assert.match(
      remedyOf('build', [MONGO]) ?? '',
      /^The platform gives MONGODB_URI to a service when it starts, and not to builds/,
    );
  });
});

describe('a database that is looked for in the service’s own container', () => {
  const REFUSED = 'Error: connect ECONNREFUSED 127.0.0.1:5432';
  const rows: readonly [what: string, known: Parameters<typeof remedyOf>[2], told: RegExp][] = [
    [
      'has one of the platform',
      { declared: ['postgres'], given: ['postgres'] },
      /the address in POSTGRES_URI, which the/,
    ],
    ['has declared one without a server', { declared: ['postgres'], given: [] }, /container: set the address of yours/],
    ['has one of another kind', { declared: ['redis'], given: ['redis'] }, /container: declare it .*type: postgres/],
  ];
  for (const [what, known, told] of rows) {
    it(`is told by what the service has: it ${what}`, () => {
      assert.match(remedyOf('start', [REFUSED], known) ?? '', told);
    });
  }
});
