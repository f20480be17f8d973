import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { typedName } from '../../cli/typed-name.ts';
import { serviceRow } from '../../domain/services.ts';
import { checkStart } from './check-start.ts';
import { deployDemo } from './deploy-demo.ts';
import { defaultDataFolder, projectRoot } from './project.ts';
import { type Stack, startStack } from './stack.ts';
import { createColours, createReporter, errorLine, formatTable } from './terminal.ts';

/** `npm start`: brings the embedded stack up, says what runs, and stops it on Ctrl-C. */

const USAGE = `usage: npm start -- [--demo] [--check] [--yes] [--json]
  --demo   also deploy the bundled sample and print its address
  --check  find or fetch every tool and verify the machine, start nothing
  --yes    install and start a container engine without asking
  --json   print the stack as JSON once it is ready

FAIRLEAD_DATA_DIR names another data folder than .fairlead. A second stack on this machine needs other ports as well:
README.md, "What runs where", names the variable of each.`;

// A Ctrl-C reaches this process from the terminal and once more from its launcher.
const SAME_PRESS_MS = 400;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      demo: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const report = createReporter(process.stderr);
  const engine = { may: values.yes ? 'install' : 'ask', command: 'npm start -- --yes' } as const;
  const options = { dataDir: defaultDataFolder(process.env), env: process.env, report, engine };
  if (values.check) return checkStart(options);
  const startedAt = performance.now();
  const { interrupted, attach } = watchInterrupts();
  const stack = await startStack({ ...options, ports: 'fixed', signal: interrupted }).catch((error) => {
    if (!interrupted.aborted) throw error;
    return undefined;
  });
  if (!stack) {
    report.line('stopped before it was ready; nothing is left running');
    return 0;
  }
  attach(stack);
  if (!interrupted.aborted) {
    await printStack(stack, (performance.now() - startedAt) / 1000, values.json);
    if (values.demo) await deployDemo(stack, interrupted).catch((error) => report.line(`demo: ${errorLine(error)}`));
  }
  if (!interrupted.aborted) await new Promise((resolve) => interrupted.addEventListener('abort', resolve));
  await stack.stop((name) => report.line(`stopping ${name}`));
  report.line('stopped; data is kept');
  return 0;
}

/** The first interrupt stops in order, a second one kills. */
function watchInterrupts(): { interrupted: AbortSignal; attach: (stack: Stack) => void } {
  const controller = new AbortController();
  let stack: Stack | undefined;
  let firstAt = 0;
  // A supervised start has no terminal left to hold it open: this timer does.
  const alive = setInterval(() => undefined, 60_000);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (firstAt === 0) {
        firstAt = performance.now();
        process.stderr.write('\nstopping (again to kill) …\n');
        clearInterval(alive);
        controller.abort(new Error('interrupted'));
      } else if (performance.now() - firstAt > SAME_PRESS_MS) {
        stack?.kill();
        process.exit(130);
      }
    });
  }
  return {
    interrupted: controller.signal,
    attach: (started) => {
      stack = started;
    },
  };
}

async function printStack(stack: Stack, seconds: number, json: boolean): Promise<void> {
  const state = stack.state();
  if (json) {
    console.log(JSON.stringify({ dataDir: stack.dataDir, ports: stack.ports, seconds, parts: state }));
    return;
  }
  const { bold, dim, green } = createColours(process.stdout, process.env);
  const fairlead = typedName({
    env: process.env,
    script: join(projectRoot, 'cli', 'fairlead.mjs'),
    cwd: process.cwd(),
  });
  const rows = Object.entries(state).map(([name, part]) => [name, part.address, part.version, part.dataFolder ?? '-']);
  const [head = '', ...lines] = formatTable([['part', 'address', 'version', 'data'], ...rows]).split('\n');
  console.log(`\nConsole: ${bold(stack.addresses[serviceRow('console').name] ?? '')}`);
  console.log(`\n${bold(head)}\n${lines.join('\n')}\n`);
  console.log(`${green('Fairlead is ready')} ${dim(`in ${seconds.toFixed(1)} s; Ctrl-C stops it, data is kept`)}`);
  const firstAdmin = await firstAdminLink(stack.dataDir);
  if (firstAdmin !== null) console.log(`Nobody can sign in yet. Become the first admin: ${bold(firstAdmin)}`);
  if (stack.dataDir !== defaultDataFolder({}))
    console.log(`In other terminals: ${bold(`export FAIRLEAD_DATA_DIR='${stack.dataDir}'`)}`);
  if (state['temporal-ui']) console.log(`Temporal UI and database: ${bold(`${fairlead} credentials`)}`);
  console.log(`Next: ${bold(`${fairlead} deploy <git url or folder>`)}\n`);
}

/** Where the first person makes their account; null once there is one. */
async function firstAdminLink(dataDir: string): Promise<string | null> {
  const text = await readFile(join(dataDir, 'first-admin-link'), 'utf8').catch(() => null);
  return text?.trim() ?? null;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`fairlead: ${errorLine(error)}\n`);
  process.exitCode = 1;
}
// A stopped stack leaves nothing to wait for; a stray handle must not keep the terminal.
process.exit();
