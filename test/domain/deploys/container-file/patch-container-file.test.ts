// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of container files are written this way
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkUser } from '../../../../domain/deploys/container-file/check-user.ts';
import { patchContainerFile } from '../../../../domain/deploys/container-file/patch-container-file.ts';
import { FairleadError } from '../../../../domain/errors.ts';

const patch = (text: string) => patchContainerFile(text, { secretsEnabled: false });

const NAME =
  'RUN grep -q "^[^:]*:[^:]*:1001:" /etc/passwd || echo "app:x:1001:1001::/tmp:/bin/sh" >> /etc/passwd || true\n';

const USERS: readonly (readonly [string, string, string])[] = [
  ['a name', 'FROM a\nUSER node\n', 'FROM a\nUSER 1001\n'],
  ['a name with a group', 'FROM a\nUSER app:grp\n', 'FROM a\nUSER 1001\n'],
  ['a name in a file of Windows', 'FROM a\r\nUSER node\r\n# end\r\n', 'FROM a\r\nUSER 1001\r\n# end\r\n'],
  ['a name without a last line end', 'FROM a\n  user   node', 'FROM a\n  user   1001'],
  ['only the last one', 'FROM a\nUSER one\nRUN x\nUSER two\n', 'FROM a\nUSER one\nRUN x\nUSER 1001\n'],
  ['the one a stage inherits', 'FROM a AS b\nUSER node\nFROM b\nCMD x\n', 'FROM a AS b\nUSER 1001\nFROM b\nCMD x\n'],
  [
    'not that of a stage left behind',
    'FROM a AS b\nUSER node\nFROM c\nUSER 5\n',
    'FROM a AS b\nUSER node\nFROM c\nUSER 5\n',
  ],
  ['a variable that is a name', 'FROM a\nARG U=bob\nUSER $U\n', 'FROM a\nARG U=bob\nUSER 1001\n'],
  ['a variable that is a number', 'FROM a\nENV U=1000\nUSER ${U}\n', 'FROM a\nENV U=1000\nUSER ${U}\n'],
  ['a variable with a default in place', 'FROM a\nUSER ${U:-1000}\n', 'FROM a\nUSER ${U:-1000}\n'],
  ['a variable without a value', 'FROM a\nARG U\nUSER $U\n', 'FROM a\nARG U\nUSER 1001\n'],
  ['a variable of before FROM', 'ARG U=7\nFROM a\nARG U\nUSER $U\n', 'ARG U=7\nFROM a\nARG U\nUSER $U\n'],
  ['a number', 'FROM a\nUSER 1000:1000\n', 'FROM a\nUSER 1000:1000\n'],
  ['root', 'FROM a\nUSER root\n', 'FROM a\nUSER root\n'],
  ['nought', 'FROM a\nUSER 0:0\n', 'FROM a\nUSER 0:0\n'],
  [
    'ownership of copies',
    'FROM a\nCOPY --chown=node:node . .\nUSER 5\n',
    'FROM a\nCOPY --chown=node:node . .\nUSER 5\n',
  ],
  [
    'a user inside a here-document',
    'FROM a\nRUN <<EOF\nUSER node\nEOF\nUSER 5\n',
    'FROM a\nRUN <<EOF\nUSER node\nEOF\nUSER 5\n',
  ],
  ['a user in a comment', 'FROM a\n# USER node\nUSER 5\n', 'FROM a\n# USER node\nUSER 5\n'],
  [
    'another escape character',
    '# escape=`\nFROM a\nRUN x `\n  y\nUSER node\n',
    `# escape=\`\nFROM a\nRUN x \`\n  y\n${NAME}USER 1001\n`,
  ],
];

const NO_USER: readonly (readonly [string, boolean])[] = [
  ['FROM node:22\nCMD ["npm", "start"]', true],
  ['FROM a AS b\nUSER 7\nFROM python:3\nCMD python app.py\n', true],
  ['FROM nginx:1.28\nCOPY . /usr/share/nginx/html\n', true],
  ['FROM postgres:16\n', false],
  ['FROM registry.example/team/mysql@sha256:abc\n', false],
  ['FROM debian\nENTRYPOINT ["gosu", "app", "./run"]\n', false],
  ['FROM scratch\nCMD ["/run"]\n', false],
];

for (const [text, isAdded] of NO_USER) {
  test(`a file without USER ${isAdded ? 'gets a number' : 'stays as it is where root is needed'}: ${JSON.stringify(text)}`, () => {
    const patched = patch(text);
    const added = `${text}${text.endsWith('\n') ? '' : '\n'}ENV HOME=/tmp\nUSER 1001\n`;
    assert.equal(patched.text, isAdded ? added : text);
    assert.deepEqual([patched.user, patched.changes.length], isAdded ? ['1001', 1] : [null, 0]);
  });
}

for (const [name, before, after] of [
  ['that replaces a name', 'FROM a\nRUN x\nUSER node\nCMD y\n', `FROM a\nRUN x\n${NAME}USER 1001\nCMD y\n`],
  [
    'that is added',
    'FROM a\nRUN --mount=type=cache,target=/c x\n',
    `FROM a\nRUN --mount=type=cache,target=/c x\n${NAME}ENV HOME=/tmp\nUSER 1001\n`,
  ],
  ['not without a shell', 'FROM a\nRUN ["x"]\nUSER node\n', 'FROM a\nRUN ["x"]\nUSER 1001\n'],
  ['not that of another stage', 'FROM a AS b\nRUN x\nFROM c\nUSER node\n', 'FROM a AS b\nRUN x\nFROM c\nUSER 1001\n'],
  ['not of a number of the author', 'FROM a\nRUN x\nUSER 1000\n', 'FROM a\nRUN x\nUSER 1000\n'],
] as const) {
  test(`the user gets a name in /etc/passwd: ${name}`, () => {
    const patched = patch(before);
    assert.equal(patched.text, after);
    assert.equal(
      patched.changes.some((change) => change.includes('/etc/passwd')),
      after.includes(NAME),
    );
  });
}

for (const [name, before, after] of USERS) {
  test(`the final user becomes a number and the rest stays byte for byte: ${name}`, () => {
    const patched = patch(before);
    assert.equal(patched.text, after);
    assert.equal(patched.changes.length, before === after ? 0 : after.includes(NAME) ? 2 : 1);
  });
}

test('what the file says is reported: port, user, images from outside', () => {
  const patched = patch(
    'ARG V=24\nARG R=registry.example:5000\nFROM node:${V}-alpine AS build\nEXPOSE 1\nFROM $R/base/run@sha256:abc AS run\nCOPY --from=build /a /a\nCOPY --from=nginx:1.28-alpine /b /b\nCOPY --from=0 /c /c\nEXPOSE 3000 4000/tcp 5000/udp\nUSER node\nFROM run\n',
  );
  assert.deepEqual(patched.baseImages, [
    'node:24-alpine',
    'registry.example:5000/base/run@sha256:abc',
    'nginx:1.28-alpine',
  ]);
  assert.equal(patched.port, 4000);
  assert.equal(patched.user, '1001');
  assert.equal(patch('FROM scratch\nUSER 5\n').baseImages.length, 0);
  assert.equal(patch('FROM a\nUSER 5\n').port, null);
});

const wrapped = (text: string) => patchContainerFile(text, { secretsEnabled: true });

test('with secrets enabled the entry point is wrapped and the command is kept', () => {
  const tail = (text: string) => wrapped(text).text.slice(text.length);
  const copy = 'COPY app-entrypoint.sh /app-entrypoint.sh\n';
  assert.equal(tail('FROM a\nUSER 5\nCMD ["x"]\n'), `${copy}ENTRYPOINT ["/bin/sh","/app-entrypoint.sh"]\n`);
  assert.equal(
    tail('FROM a\nUSER 5\nENTRYPOINT ["tini", "--"]\nCMD ["x"]\n'),
    `${copy}ENTRYPOINT ["/bin/sh","/app-entrypoint.sh","tini","--"]\n`,
  );
  assert.equal(
    tail('FROM a\nUSER 5\nENTRYPOINT exec x $Y\n'),
    `${copy}ENTRYPOINT ["/bin/sh","/app-entrypoint.sh","/bin/sh","-c","exec x $Y"]\n`,
  );
  assert.equal(
    tail('FROM a AS b\nUSER 5\nCMD ["x"]\nFROM b\n'),
    `${copy}ENTRYPOINT ["/bin/sh","/app-entrypoint.sh"]\nCMD ["x"]\n`,
  );
  assert.deepEqual(
    wrapped('FROM a\nCMD x\n').extraFiles.map((file) => file.path),
    ['app-entrypoint.sh'],
  );
});

test('an unknown entry point is not wrapped, and a warning says so', () => {
  const patched = wrapped('FROM a\nUSER 5\n');
  assert.equal(patched.text, 'FROM a\nUSER 5\n');
  assert.match(patched.warnings.join(), /add a CMD/);
});

const BROKEN: readonly (readonly [string, RegExp])[] = [
  ['', /:1: the file has no instruction/],
  ['# nothing\n\n', /:1: the file has no instruction/],
  ['RUN x\n', /:1: RUN stands before the first FROM/],
  ['ARG A=1\n', /:1: there is no FROM/],
  ['\n\nFORM node\n', /:3: unknown instruction FORM; did you mean FROM\?/],
  ['FROM a\nCOPPY . .\n', /:2: unknown instruction COPPY; did you mean COPY\?/],
  ['FROM a\nimport os\n', /:2: unknown instruction import$/],
  ['hello world\n', /:1: unknown instruction hello/],
  ['FROM\n', /:1: FROM names no image/],
  ['FROM a b\n', /:1: FROM is written/],
  ['FROM a AS\n', /:1: FROM is written/],
  ['FROM a AS b c\n', /:1: FROM is written/],
  ['FROM a AS 9x\n', /:1: "9x" cannot name a stage/],
  ['FROM $BASE\n', /:1: FROM \$BASE uses a variable without a value/],
  ['ARG BASE\nFROM ${BASE}:1\n', /:2: FROM \$\{BASE\}:1 uses a variable without a value/],
  ['FROM a!b\n', /:1: "a!b" is not the name of an image/],
  ['FROM a AS x\nFROM b AS X\n', /:2: two stages are called x/],
  ['FROM a\nCOPY --from=build /x /y\n', /:2: COPY --from=build names a stage that does not exist there; no stage/],
  ['FROM a AS one\nFROM b\nCOPY --from=builder /x /y\n', /:3: .*the stages before this one are one/],
  ['FROM a\nCOPY --from=late /x /y\nFROM b AS late\n', /:2: COPY --from=late names a stage that begins only later/],
  ['FROM a AS me\nCOPY --from=me /x /y\n', /:2: COPY --from=me copies from its own stage/],
  ['FROM a\nCOPY --from=0 /x /y\n', /:2: COPY --from=0 names a stage/],
  ['FROM a\nCOPY --from=5 /x /y\n', /:2: COPY --from=5 names a stage/],
  ['FROM a\nCOPY .\n', /:2: COPY needs at least 2 arguments/],
  ['FROM a\nRUN\n', /:2: RUN needs an argument/],
  ['FROM a\nUSER\n', /:2: USER needs an argument/],
  ['FROM a\nUSER a b\n', /:2: USER takes one argument/],
  ['FROM a\nEXPOSE http\n', /:2: EXPOSE "http" is not a port/],
  ['FROM a\nEXPOSE 70000\n', /:2: EXPOSE "70000" is not a port/],
  ['FROM a\nENV A\n', /:2: ENV A has no value/],
  ['FROM a\nWORKDIR\n', /:2: WORKDIR needs an argument/],
  [`FROM a\n#${'x'.repeat(300_000)}\n`, /:1: the file is larger than 256 KiB/],
];

for (const [text, expected] of BROKEN) {
  test(`refused with its line: ${JSON.stringify(text.slice(0, 60))}`, () => {
    assert.throws(
      () => patch(text),
      (error) => {
        assert.ok(error instanceof FairleadError, String(error));
        assert.equal(error.code, 'CONTAINER_FILE_INVALID');
        assert.match(error.message, /^Dockerfile:\d+: /);
        assert.match(error.message, expected);
        return true;
      },
    );
  });
}

const check = (text: string, framework: 'express' | 'static' = 'express') =>
  checkUser(text, { framework, fileName: 'deploy/Dockerfile' });

const ROOT: readonly (readonly [string, RegExp])[] = [
  ['FROM a\n', /^deploy\/Dockerfile:1: the final stage has no USER/],
  ['FROM a\nUSER 7\nFROM b\n', /:3: the final stage has no USER/],
  ['FROM a\nUSER 0\n', /:2: USER 0: the image runs as root; set a number other than 0/],
  ['FROM a\nUSER 000:5\n', /:2: .*runs as root/],
  ['FROM a\nUSER root\n', /:2: USER root: the image runs as root/],
  ['FROM a\nUSER 5\nUSER root:root\n', /:3: USER root/],
  ['FROM a AS b\nUSER 0\nFROM b\n', /:2: USER 0/],
  ['FROM a\nARG U=0\nUSER $U\n', /:3: USER 0/],
  ['FROM a\nUSER node\n', /:2: USER node: the image has a user without a number/],
  ['FROM a\nUSER $U\n', /:2: USER \(a variable without a value\)/],
];

for (const [text, expected] of ROOT) {
  test(`refused as root, with line and remedy: ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => check(text),
      (error) => error instanceof FairleadError && error.code === 'CONTAINER_ROOT_USER' && expected.test(error.message),
    );
  });
}

test('a number other than 0 passes, set or inherited, and the static framework is exempt', () => {
  assert.equal(check('FROM a\nUSER 1001:0\n'), '1001');
  assert.equal(check('FROM a AS b\nUSER 7\nFROM b AS c\nFROM c\n'), '7');
  assert.equal(check('FROM a\n', 'static'), null);
  assert.equal(check('FROM a\nUSER root\n', 'static'), 'root');
});

test('the samples with a container file of their own: one is patched, one is refused', () => {
  const read = (name: string) =>
    readFileSync(new URL(`../../../fixtures/apps/${name}/Dockerfile`, import.meta.url), 'utf8');
  const patched = patch(read('own-dockerfile-user'));
  assert.deepEqual([patched.user, patched.port, patched.baseImages], ['1001', 4000, ['node:24-alpine']]);
  assert.equal(check(patched.text), '1001');
  assert.throws(
    () => check(patch(read('own-dockerfile-root')).text),
    (error) => error instanceof FairleadError && error.code === 'CONTAINER_ROOT_USER',
  );
});

test('damaged container files end as patched or as CONTAINER_FILE_INVALID, never as anything else', () => {
  const text =
    'ARG V=1\nFROM a:$V AS b\nENV A=1 B="x y"\nCOPY --from=nginx ["a", "b"]\nRUN <<EOF\nx\nEOF\nUSER node\nEXPOSE 80\nCMD ["x"]\n';
  const junk = ['\n', '\\', '\\\n', '"', '[', '$', '${', '<<EOF', '--', '=', '#', '\0', '\u2028', '\r', '}'];
  let seed = 3;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 1_000; round += 1) {
    const at = next(text.length);
    const damaged = text.slice(0, at) + (junk[next(junk.length)] ?? '') + text.slice(at + next(6));
    try {
      wrapped(damaged);
    } catch (error) {
      assert.ok(
        error instanceof FairleadError && error.code === 'CONTAINER_FILE_INVALID',
        `${String(error)} of ${damaged}`,
      );
    }
  }
});
