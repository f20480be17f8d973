import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { buildWorkflowId } from '../../../domain/deploys/messages.ts';
import { stackCredentials } from '../credentials.ts';
import { defaultDataFolder, projectRoot } from '../project.ts';
import { type Area, openBrowser } from './browser-page.ts';

/**
 * `node infra/dev/picture/temporal-picture.ts`: draws the newest completed build of the running stack, as the Temporal
 * UI shows its workflow, as docs/temporal-ui.png: status, facts and timeline. The panes with its input and result,
 * which lie between them, are hidden to keep the picture small. Needs chromium and pngquant on the PATH.
 */
const WINDOW = { width: 1120, height: 1600 };
/** Few colours and no dithering keep a picture of flat areas small. */
const COLOURS = 8;
const MARGIN = 16;

const connectionSchema = z.object({ api: z.url(), key: z.string(), temporalUi: z.url() });
const buildsSchema = z.object({ data: z.object({ items: z.array(z.object({ id: z.string() })) }) });

/** Edges of what is shown, from the status of the workflow to the end of its timeline; null until all of it is there. */
const EDGES = `(() => {
  document.querySelector('[data-testid="input-and-result"]')?.style.setProperty('display', 'none');
  const top = document.querySelector('[data-testid="workflow-id-heading"]')?.getBoundingClientRect();
  const menu = document.querySelector('[data-testid="navigation-header"]')?.getBoundingClientRect();
  const below = document.querySelector('button[data-testid="feed"]')?.getBoundingClientRect();
  const text = document.body.innerText;
  const whole = ['Completed', 'fetchSource', 'buildImage', 'installWorkload', 'finishBuild'];
  if (!top || !menu || !below || !whole.every((part) => text.includes(part))) return null;
  return { left: menu.right, top: top.top, bottom: below.top, right: document.documentElement.clientWidth };
})()`;
const edgesSchema = z.object({ left: z.number(), top: z.number(), bottom: z.number(), right: z.number() });
/** The status stands above the workflow's id. */
const STATUS_HEIGHT = 60;

const dataDir = process.env.FAIRLEAD_TEST_STACK ?? defaultDataFolder(process.env);
const { api, key, temporalUi } = await readConnection();
const buildId = await newestCompletedBuild();
const path = join(projectRoot, 'docs', 'temporal-ui.png');
await takePicture(`${temporalUi}/namespaces/default/workflows/${encodeURIComponent(buildWorkflowId(buildId))}`);
console.log(`${path}: ${buildId}, ${(await stat(path)).size} bytes`);

async function readConnection(): Promise<z.infer<typeof connectionSchema>> {
  return connectionSchema.parse(JSON.parse(await readFile(join(dataDir, 'connection.json'), 'utf8')));
}

async function newestCompletedBuild(): Promise<string> {
  const response = await fetch(`${api}/builds?status=completed&limit=1`, { headers: { 'x-internal-key': key } });
  if (!response.ok) throw new Error(`GET /builds answered ${response.status}`);
  const [build] = buildsSchema.parse(await response.json()).data.items;
  if (build === undefined) throw new Error('no build has completed yet: deploy something first');
  return build.id;
}

async function takePicture(address: string): Promise<void> {
  await using page = await openBrowser(WINDOW);
  const { user, password } = (await stackCredentials(dataDir, process.env))['temporal-ui'] ?? {};
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  await page.open(address, { authorization: `Basic ${basic}` });
  const edges = await page.waitFor('the completed workflow with its timeline', EDGES, edgesSchema);
  await writeFile(path, await page.picture(areaWithin(edges)));
  const options = ['--force', '--nofs', '--strip', '--ext', '.png', String(COLOURS)];
  await promisify(execFile)('pngquant', [...options, path]);
}

function areaWithin({ left, top, right, bottom }: z.infer<typeof edgesSchema>): Area {
  const y = top - STATUS_HEIGHT;
  return { x: left, y, width: right - left, height: bottom - MARGIN - y };
}
