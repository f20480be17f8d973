import { useEngine } from './container-engine.ts';
import { prepareDataFolder } from './data-folder.ts';
import type { Env } from './project.ts';
import { fixedPorts, neededPorts } from './stack-ports.ts';
import { errorLine, formatTable, type Reporter } from './terminal.ts';
import { resolveFirst, TOOLS } from './tools.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface CheckOptions {
  readonly dataDir: string;
  readonly env: Env;
  readonly report: Reporter;
}

type Row = readonly [name: string, ok: boolean, found: string];

/** `npm start -- --check`: fetches every tool and verifies the machine without starting anything. Returns the exit code. */
export async function checkStart({ dataDir, env, report }: CheckOptions): Promise<number> {
  const rows: Row[] = [];
  const check = async (name: string, run: () => Promise<string>): Promise<void> => {
    rows.push(
      await run().then(
        (found): Row => [name, true, found],
        (error): Row => [name, false, errorLine(error)],
      ),
    );
  };
  await check('data folder', async () => {
    await prepareDataFolder(dataDir);
    return dataDir;
  });
  for (const { need, replacedBy, always, alternatives } of TOOLS) {
    await check(need, async () => {
      if (replacedBy && env[replacedBy]) return `${replacedBy} is set`;
      const tool = await resolveFirst(alternatives, { env, report }).catch((error: Error) => {
        if (always) throw error;
        return null;
      });
      return tool === null ? 'cannot be had; only what needs it fails' : `${tool.version} (${tool.how}) ${tool.path}`;
    });
  }
  await check('engine', async () => {
    const engine = await useEngine({ env, report, consent: { may: 'look', command: 'npm start -- --yes' } });
    return `${engine.version} at ${engine.address} (${engine.how})`;
  });
  await check('bundle', () => workflowBundle(env, report));
  await check('ports', async () => {
    const needed = neededPorts(env);
    const ports = await fixedPorts(env, needed);
    return needed.map((name) => ports[name]).join(', ');
  });
  console.log(formatTable(rows.map(([name, ok, found]) => [ok ? 'ok' : 'FAILED', name, found])));
  return rows.every(([, ok]) => ok) ? 0 : 1;
}
