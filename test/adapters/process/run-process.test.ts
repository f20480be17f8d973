import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { MAX_LINE_LENGTH } from '../../../adapters/process/output-capture.ts';
import { type RunProcessOptions, runProcess } from '../../../adapters/process/run-process.ts';
import { CUT_MARK } from '../../../domain/logs/cut-line.ts';
import { waitUntil } from '../../support/wait-until.ts';

const env = baseEnv(process.env);
const never = new AbortController().signal;

function sh(script: string, options: Partial<RunProcessOptions> = {}) {
  return runProcess('sh', ['-c', script], { env, signal: never, ...options });
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (!existsSync('/proc/self/stat')) return true;
  try {
    // A zombie has ended; only its parent has not looked yet.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It has looked meanwhile.
    return false;
  }
}

/** What watches the commands of this process, while one runs. */
async function watchdogs(): Promise<readonly number[]> {
  const { stdout } = await runProcess('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { env, signal: never });
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  const ours = rows.filter(([, parent, state, ...args]) => {
    return Number(parent) === process.pid && !state?.startsWith('Z') && args.includes('watchdog');
  });
  return ours.map(([pid]) => Number(pid));
}

function readPid(path: string): number {
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
}

describe('runProcess', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'run-process-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('returns exit code and both outputs', async () => {
    const result = await sh('echo out; echo err >&2; exit 3');
    assert.deepEqual(result, { exitCode: 3, signal: null, stdout: 'out\n', stderr: 'err\n' });
  });

  it('reports the signal that ended the command', async () => {
    const result = await sh('kill -s USR1 $$');
    assert.deepEqual([result.exitCode, result.signal], [null, 'SIGUSR1']);
  });

  it('lets no file of the command grow beyond its bound, and the command says why', async () => {
    const path = join(folder, 'bounded');
    const write = ['-c', `head -c 100000 /dev/zero > '${path}'`];
    const { exitCode, stderr } = await runProcess('/bin/sh', write, { env, signal: never, maxFileBytes: 8_192 });
    assert.notEqual(exitCode, 0);
    assert.match(stderr, /File too large/);
    assert.equal(statSync(path).size, 8_192);
  });

  it('passes arguments as they are, without a shell in between', async () => {
    const odd = ['a b', '$HOME', '', "it's", '*', '-n'];
    const { stdout } = await runProcess('printf', ['%s|', ...odd], { env, signal: never });
    assert.equal(stdout, `${odd.join('|')}|`);
  });

  it('gives the child only the environment it was given', async () => {
    process.env.RUN_PROCESS_CANARY = 'leak';
    const { stdout } = await runProcess('env', [], { env: { PATH: env.PATH ?? '', ONLY: '1' }, signal: never });
    delete process.env.RUN_PROCESS_CANARY;
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    assert.deepEqual(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name ?? '')).sort(), [
      'ONLY',
      'PATH',
    ]);
  });

  it('baseEnv takes paths, locale, certificates, proxies and the engine, and nothing else', () => {
    const taken = { PATH: '/p', HOME: '/h', SSL_CERT_FILE: '/c', https_proxy: 'http://p', DOCKER_HOST: 'unix:///s' };
    assert.deepEqual(baseEnv({ ...taken, GIT_TOKEN: 'secret', INTERNAL_SERVICE_KEY: 'secret', LANG: '' }), taken);
  });

  it('has no input by default, and feeds strings and streams', async () => {
    assert.equal((await sh('cat')).stdout, '');
    assert.equal((await sh('cat', { input: 'hello' })).stdout, 'hello');
    async function* chunks() {
      for (let i = 0; i < 64; i++) yield Buffer.alloc(16_384, 'x');
    }
    assert.equal((await sh('wc -c', { input: chunks() })).stdout.trim(), String(1024 * 1024));
  });

  it('does not mind a command that leaves its input unread, nor a source that never ends', async () => {
    assert.equal((await sh('exit 0', { input: 'x'.repeat(1024 * 1024) })).exitCode, 0);
    async function* endless() {
      yield Buffer.from('first\n');
      await new Promise(() => {});
    }
    assert.equal((await sh('read line; echo "$line"', { input: endless() })).stdout, 'first\n');
  });

  it('tells how a command ended that failed before it had read its input', async () => {
    async function* endless() {
      for (;;) {
        await immediate();
        yield Buffer.alloc(64 * 1024);
      }
    }
    const { exitCode, stderr } = await sh('head -c 100000 > /dev/null; echo refused >&2; exit 3', { input: endless() });
    assert.deepEqual([exitCode, stderr.trim()], [3, 'refused']);
  });

  it('ends the command when its input fails, and throws the cause', async () => {
    async function* broken() {
      yield Buffer.from('first\n');
      throw new Error('the source broke');
    }
    await assert.rejects(sh('cat; sleep 60', { input: broken() }), /the source broke/);
  });

  it('streams lines of both outputs, with carriage returns as line ends', async () => {
    const lines: string[] = [];
    await sh(`printf 'a\\r\\nb\\rc\\n\\nd'; printf 'e\\n' >&2`, {
      onLine: (line, stream) => lines.push(`${stream} ${line}`),
    });
    assert.deepEqual(
      lines.filter((line) => line.startsWith('stdout')),
      ['stdout a', 'stdout b', 'stdout c', 'stdout ', 'stdout d'],
    );
    assert.deepEqual(
      lines.filter((line) => line.startsWith('stderr')),
      ['stderr e'],
    );
  });

  it('gives lines while the command still runs', async () => {
    const controller = new AbortController();
    const running = sh('echo ready; sleep 60', {
      signal: controller.signal,
      onLine: () => controller.abort(new Error('seen')),
    });
    await assert.rejects(running, /seen/);
  });

  it('bounds lines and what it keeps: the start of stdout, the end of stderr', async () => {
    const lines: string[] = [];
    const result = await sh(
      `head -c 200000 /dev/zero | tr '\\0' x; printf 'start' >&2; head -c 200000 /dev/zero | tr '\\0' y >&2; printf 'end' >&2`,
      {
        maxOutputBytes: 1000,
        onLine: (line) => lines.push(line),
      },
    );
    assert.equal(result.stdout, 'x'.repeat(1000));
    assert.equal(result.stderr.length, 1000);
    assert.ok(result.stderr.endsWith('yend'));
    assert.ok(lines.every((line) => line.length <= MAX_LINE_LENGTH));
    // Of a line that was cut, nothing else follows.
    assert.deepEqual(lines.map((line) => [line.length, line.endsWith(CUT_MARK)]).sort(), [
      [MAX_LINE_LENGTH, true],
      [MAX_LINE_LENGTH, true],
    ]);
  });

  it('keeps characters whole that are split between chunks', async () => {
    const lines: string[] = [];
    await sh(`printf '\\303'; sleep 0.05; printf '\\244\\n'`, { onLine: (line) => lines.push(line) });
    assert.deepEqual(lines, ['ä']);
  });

  it('ends the command and throws when the line receiver throws', async () => {
    const onLine = () => {
      throw new Error('receiver broke');
    };
    await assert.rejects(sh('echo x; sleep 60', { onLine }), /receiver broke/);
  });

  it('says which command or directory is missing', async () => {
    await assert.rejects(runProcess('no-such-command', [], { env, signal: never }), {
      code: 'ENOENT',
      message: /no-such-command/,
    });
    await assert.rejects(sh('true', { cwd: '/no/such/place' }), { code: 'ENOENT', message: /\/no\/such\/place/ });
  });

  it('starts nothing when the signal is aborted already', async () => {
    const mark = join(folder, 'never-started');
    await assert.rejects(sh(`touch ${mark}`, { signal: AbortSignal.abort(new Error('early')) }), /early/);
    assert.ok(!existsSync(mark));
  });

  it('rejects an abort only after the whole group ended, children included', async () => {
    const controller = new AbortController();
    const pidFile = join(folder, 'grandchild');
    const running = sh(`sleep 60 & echo $! > ${pidFile}; echo ready; wait`, {
      signal: controller.signal,
      onLine: () => controller.abort(new Error('cancelled')),
    });
    await assert.rejects(running, /cancelled/);
    // Its files are closed, which is what is waited for, a moment before the system counts it as ended.
    await waitUntil('the child has ended', () => !alive(readPid(pidFile)), { withinMs: 2_000, everyMs: 1 });
  });

  it('kills what ignores SIGTERM after the time it was given', async () => {
    const controller = new AbortController();
    const pidFile = join(folder, 'stubborn');
    const lines: string[] = [];
    // It notes the signal, and goes on for as long as it is let.
    const script = `trap 'echo told' TERM; echo $$ > ${pidFile}; echo ready; while :; do sleep 0.02; echo on; done`;
    const running = sh(script, {
      signal: controller.signal,
      killAfterMs: 1_000,
      onLine: (line) => {
        lines.push(line);
        controller.abort(new Error('cancelled'));
      },
    });
    await assert.rejects(running, /cancelled/);
    assert.ok(!alive(readPid(pidFile)));
    const told = lines.indexOf('told');
    assert.ok(told > 0, 'it was asked first');
    assert.ok(lines.slice(told).includes('on'), 'and had time to end by itself');
  });

  it('lets a command end in order on SIGTERM', async () => {
    const controller = new AbortController();
    const mark = join(folder, 'tidied');
    const running = sh(`trap 'touch ${mark}; exit 0' TERM; echo ready; while :; do sleep 0.05; done`, {
      signal: controller.signal,
      onLine: () => controller.abort(new Error('cancelled')),
    });
    await assert.rejects(running, /cancelled/);
    assert.ok(existsSync(mark));
  });

  it('kills what the command leaves running in its group when it exits', async () => {
    const pidFile = join(folder, 'left-behind');
    const result = await sh(`sleep 60 & echo $! > ${pidFile}`);
    assert.equal(result.exitCode, 0);
    await waitUntil('the left process ended', () => !alive(readPid(pidFile)), { withinMs: 5_000 });
  });

  it('does not wait for a process that left the group and holds the output', async () => {
    const pidFile = join(folder, 'escaped');
    const script = `const { spawn } = require('node:child_process');
      const child = spawn('sleep', ['60'], { detached: true, stdio: 'inherit' });
      require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(child.pid)); child.unref();`;
    const result = await runProcess(process.execPath, ['-e', script], { env, signal: never });
    assert.equal(result.exitCode, 0);
    process.kill(readPid(pidFile), 'SIGKILL');
  });

  it('watches all commands with one process of its own, and replaces it when it is killed', async () => {
    await Promise.all([sh('true'), sh('true')]);
    const [first, ...others] = await watchdogs();
    assert.ok(first !== undefined && others.length === 0);
    process.kill(first, 'SIGKILL');
    await waitUntil('the watchdog ended', () => !alive(first), { withinMs: 5_000 });
    const isReplaced = async () => {
      const [second, ...more] = await watchdogs();
      return second !== undefined && second !== first && more.length === 0;
    };
    await waitUntil('another one watches', isReplaced, { withinMs: 5_000 });
  });

  it('a command that waits for all of its children sees only its own', async () => {
    const { stdout } = await runProcess('perl', ['-e', 'my $n = 0; $n++ while wait() > 0; print $n'], {
      env,
      signal: never,
    });
    assert.equal(stdout, '0');
  });

  it('kill -9 of our process ends every group whole, also one that began before another ended', async () => {
    const [first, second] = [join(folder, 'orphans-1'), join(folder, 'orphans-2')];
    const module = fileURLToPath(new URL('../../../adapters/process/run-process.ts', import.meta.url));
    const script = `import { runProcess } from ${JSON.stringify(module)};
      const sh = (script) => runProcess('sh', ['-c', script],
        { env: { PATH: process.env.PATH }, signal: new AbortController().signal });
      const stay = (pids) => sh('trap "" TERM HUP; sleep 60 & echo "$$ $!" > ' + pids + '.new; mv ' + pids + '.new ' + pids + '; wait');
      const staying = stay(${JSON.stringify(first)});
      await Promise.all([sh('true'), sh('true')]);
      await Promise.all([staying, stay(${JSON.stringify(second)})]);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    const bothStarted = () => existsSync(first) && existsSync(second);
    await waitUntil('the commands started', bothStarted, { withinMs: 10_000 });
    const started = [first, second].flatMap((pids) => readFileSync(pids, 'utf8').trim().split(' ').map(Number));
    assert.ok(started.length === 4 && started.every(alive));
    parent.kill('SIGKILL');
    await waitUntil('the groups ended', () => !started.some(alive), { withinMs: 5_000 });
  });
});
