import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultDataFolder, projectRoot } from '../project.ts';
import { drawScreen } from './draw-screen.ts';
import { readScreen } from './read-screen.ts';

/**
 * `node infra/dev/picture/deploy-picture.ts [bytes]`: deploys the bundled sample on the running stack in a
 * pseudo-terminal (util-linux `script`) and draws what the terminal showed in the end as docs/deploy.svg. With a file of
 * captured bytes it draws those.
 */
const COLUMNS = 100;
const [captured] = process.argv.slice(2);

const bytes = captured === undefined ? await deployInTerminal() : await readFile(captured, 'utf8');
const shown = 'npx fairlead deploy infra/dev/demo';
const screen = [
  [
    { text: '$ ', codes: [2] },
    { text: shown, codes: [1] },
  ],
  ...readScreen(bytes),
];
await mkdir(join(projectRoot, 'docs'), { recursive: true });
const path = join(projectRoot, 'docs', 'deploy.svg');
const svg = drawScreen(screen, `A terminal: ${shown}`);
await writeFile(path, svg);
console.log(`${path}: ${svg.length} characters`);

async function deployInTerminal(): Promise<string> {
  const dataDir = process.env.FAIRLEAD_TEST_STACK ?? defaultDataFolder(process.env);
  const { api, key } = JSON.parse(await readFile(join(dataDir, 'connection.json'), 'utf8'));
  const deploy = `stty cols ${COLUMNS} rows 50; node cli/fairlead.mjs deploy infra/dev/demo`;
  const { stdout } = await promisify(execFile)('script', ['-qec', deploy, '/dev/null'], {
    cwd: projectRoot,
    // As typed: the commands that it proposes begin with npx.
    env: {
      ...process.env,
      ...{ FAIRLEAD_URL: api, FAIRLEAD_KEY: key, TERM: 'xterm-256color', NO_COLOR: '' },
      ...{ npm_command: 'exec', npm_config_user_agent: 'npm' },
    },
    maxBuffer: 16 * 1024 ** 2,
  });
  return stdout;
}
