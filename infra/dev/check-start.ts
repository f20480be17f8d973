import { useEngine } from './container-engine.ts';
import { prepareDataFolder } from './data-folder.ts';
import type { Env } from './project.ts';
import { fixedPorts, PORTS, type PortName } from './stack-ports.ts';
import { errorLine, formatTable, type Reporter } from './terminal.ts';
import { resolveNeed, TOOLS, type ToolNeed } from './tools.ts';
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
  for (const { need, replacedBy } of TOOLS as readonly ToolNeed[]) {
    await check(need, async () => {
      const given = replacedBy ? env[replacedBy] : undefined;
      if (given) return `${replacedBy} is set`;
      const tool = await resolveNeed(need, { env, report });
      return `${tool.version} (${tool.how}) ${tool.path}`;
    });
  }
  await check('engine', async () => {
    const engine = await useEngine({ env, report, consent: { may: 'look', command: 'npm start -- --yes' } });
    return `${engine.version} at ${engine.address} (${engine.how})`;
  });
  await check('bundle', () => workflowBundle(env, report));
  await check('ports', async () => {
    const ports = await fixedPorts(env, Object.keys(PORTS) as PortName[]);
    return Object.values(ports).join(', ');
  });
  console.log(formatTable(rows.map(([name, ok, found]) => [ok ? 'ok' : 'FAILED', name, found])));
  return rows.every(([, ok]) => ok) ? 0 : 1;
}
