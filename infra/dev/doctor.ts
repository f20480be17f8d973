import { parseArgs } from 'node:util';
import { useEngine } from './container-engine.ts';
import { requireFreeDisk } from './data-folder.ts';
import { cacheFolder, type Env, projectRoot } from './project.ts';
import { createColours, errorLine, silentReporter } from './terminal.ts';
import { resolveTool, type Tool } from './tools/resolve-tool.ts';
import { TOOLS, type ToolNeed } from './tools.ts';

/** `fairlead doctor`: what was found on this machine, what is missing and how to get it. Changes nothing. */

interface Finding {
  readonly name: string;
  readonly ok: boolean;
  /** False where `npm start` can fetch it by itself, or another tool does the same. */
  readonly needed: boolean;
  readonly found: string;
  /** Names another program to use. */
  readonly variable?: string;
  readonly remedy?: string;
  readonly limits?: string;
}

async function examine(env: Env): Promise<Finding[]> {
  const findings: Finding[] = [
    { name: 'Node.js', ok: true, needed: true, found: `${process.version} (npm package "node") ${process.execPath}` },
  ];
  for (const row of TOOLS) {
    const isKnown = ({ name }: Finding): boolean => findings.some((one) => one.name === name);
    // A tool may serve two parts.
    for (const finding of await examineNeed(row, env)) {
      findings.push(isKnown(finding) ? { ...finding, name: `${finding.name} (${row.title})` } : finding);
    }
  }
  findings.push(await examineEngine(env), await examineDisk(), ...examineGitTokens(env));
  findings.push({ name: 'Cache', ok: true, needed: false, found: cacheFolder(env) });
  return findings;
}

async function examineNeed({ title: name, replacedBy, always, alternatives }: ToolNeed, env: Env): Promise<Finding[]> {
  if (replacedBy && env[replacedBy]) {
    return [{ name, ok: true, needed: true, found: `${replacedBy} is set: the embedded one is off` }];
  }
  const found = await Promise.all(alternatives.map((tool) => examineTool(tool, env)));
  const served = found.some(({ ok }) => ok);
  return found.map((finding) => ({ ...finding, needed: always && !served }));
}

async function examineTool(tool: Tool, env: Env): Promise<Finding> {
  const { title: name, variable } = tool;
  const limits = tool.limits ? { limits: tool.limits } : {};
  try {
    const { path, version, how } = await resolveTool(tool, { env, report: silentReporter, obtain: false });
    return { name, ok: true, needed: true, found: `${version} (${how}) ${path}`, variable, ...limits };
  } catch (error) {
    const ways = tool.ways.map(({ name, usual }) => `${name} (${usual})`).join(', then ');
    const remedy = `"npm start -- --check" fetches it by ${ways}; by hand: ${tool.byHand}`;
    const reason = env[tool.variable] ? errorLine(error) : 'missing';
    return { name, ok: false, needed: true, found: reason, variable, remedy, ...limits };
  }
}

async function examineEngine(env: Env): Promise<Finding> {
  const base = { name: 'Container engine', needed: true };
  try {
    const consent = { may: 'look', command: 'npm start -- --yes' } as const;
    const { version, address, how } = await useEngine({ env, report: silentReporter, consent });
    return { ...base, ok: true, found: `${version} at ${address} (${how})` };
  } catch (error) {
    return { ...base, ok: false, found: 'not running', remedy: errorLine(error) };
  }
}

async function examineDisk(): Promise<Finding> {
  const base = { name: 'Disk', needed: true };
  return requireFreeDisk(projectRoot).then(
    () => ({ ...base, ok: true, found: 'at least 2 GiB free' }),
    (error) => ({ ...base, ok: false, found: 'nearly full', remedy: errorLine(error) }),
  );
}

/** Earlier versions sent these tokens for every org, whoever owned the repository. */
function examineGitTokens(env: Env): Finding[] {
  const set = ['GIT_TOKEN', 'GITHUB_TOKEN'].filter((name) => env[name]);
  if (set.length === 0) return [];
  const owners = env.GIT_OWNERS ? `and for GIT_OWNERS: ${env.GIT_OWNERS}` : 'and for no other owner';
  const found = `${set.join(', ')}: sent for repositories of the owner that has the name of the org, ${owners}`;
  return [{ name: 'Git tokens', ok: true, needed: false, found, variable: 'GIT_OWNERS' }];
}

function print(findings: readonly Finding[]): void {
  const { bold, dim, green, red } = createColours(process.stdout, process.env);
  for (const { name, ok, needed, found, variable, remedy, limits } of findings) {
    const mark = ok ? green('ok     ') : needed ? red('MISSING') : dim('absent ');
    console.log(`${mark} ${bold(name)}: ${found}${variable ? dim(`  ${variable}`) : ''}`);
    if (remedy) console.log(`        ${remedy}`);
    if (limits) console.log(dim(`        limits: ${limits}`));
  }
}

const HELP = [
  'Usage: fairlead doctor [options]',
  '',
  'Says what is missing on this machine and how to get it; changes nothing. Exit code 1 when something needed is missing.',
  '',
  'Options:',
  '  --json      one JSON document',
  '  -h, --help  this text',
].join('\n');

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const findings = await examine(process.env);
  const healthy = findings.every(({ ok, needed }) => ok || !needed);
  if (values.json) console.log(JSON.stringify({ success: healthy, data: { findings } }));
  else print(findings);
  process.exit(healthy ? 0 : 1);
}

await main().catch((error) => {
  process.stderr.write(`fairlead: ${errorLine(error)}\n`);
  process.exitCode = 1;
});
