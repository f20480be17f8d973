import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from './free-port.ts';
import { toolPath } from './tool-path.ts';
import { waitUntil } from './wait-until.ts';

/** One set of records, as the server has it. */
export interface RecordSet {
  /** Without the final dot. */
  readonly name: string;
  readonly type: string;
  readonly contents: readonly string[];
}

const API_KEY = 'key-of-this-test';
const TTL = 1;

/** A port that was free a moment ago may be taken when the server asks for it. */
const STARTS = 5;

/** A real authoritative DNS server with zones of its own, on a free port. Nothing of it is cached. */
export async function startPowerDns() {
  for (let start = 1; ; start += 1) {
    try {
      return await startOnce();
    } catch (error) {
      if (start === STARTS || !/Address already in use/.test((error as Error).message)) throw error;
    }
  }
}

async function startOnce() {
  const program = await toolPath('powerdns');
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-dns-'));
  const database = join(folder, 'zones.sqlite');
  const root = join(dirname(program), 'root');
  const below = existsSync(root) ? root : '';
  createDatabase(database, await readFile(`${below}/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql`, 'utf8'));
  const [port, apiPort] = [await freeDatagramPort(), await freePort()];
  const modules: string[] = [];
  for await (const path of glob(`${below}/usr/lib/*/pdns`)) modules.push(path);
  const settings = {
    'local-address': '127.0.0.1',
    'local-port': port,
    'socket-dir': folder,
    ...(modules[0] !== undefined && { 'module-dir': modules[0] }),
    launch: 'gsqlite3',
    'gsqlite3-database': database,
    ...{
      api: 'yes',
      'api-key': API_KEY,
      webserver: 'yes',
      'webserver-address': '127.0.0.1',
      'webserver-port': apiPort,
    },
    ...{ 'cache-ttl': 0, 'query-cache-ttl': 0, 'negquery-cache-ttl': 0, 'zone-cache-refresh-interval': 0 },
    ...{ 'version-string': 'anonymous', 'security-poll-suffix': '' },
  };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const server = spawn(program, [`--config-dir=${folder}`, ...flags, '--daemon=no', '--guardian=no'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.on('data', (chunk) => (said = `${said}${chunk}`.slice(-2_000)));
  const ended = once(server, 'close');
  process.once('exit', () => server.kill('SIGKILL'));
  const api = async (method: string, path: string, body?: object): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${apiPort}/api/v1/servers/localhost/zones${path}`, {
      method,
      headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`PowerDNS answers ${response.status}: ${await response.text()}`);
    await response.body?.cancel();
  };
  await waitUntil('PowerDNS serves', async () => {
    if (server.exitCode !== null) {
      await ended;
      await rm(folder, { recursive: true, force: true });
      throw new Error(`PowerDNS ended at its start: ${said}`);
    }
    try {
      await api('GET', '');
      return true;
    } catch {
      return null;
    }
  });
  return {
    /** Its HTTP API. */
    api: { url: `http://127.0.0.1:${apiPort}`, apiKey: API_KEY },
    /** As `127.0.0.1:<port>`. */
    address: `127.0.0.1:${port}`,
    /** Makes a zone with these nameservers, which its parent would name as well. */
    async addZone(name: string, nameServers: readonly string[]): Promise<void> {
      const dotted = nameServers.map((server) => `${server}.`);
      await api('POST', '', { name: `${name}.`, kind: 'Native', nameservers: dotted });
    },
    removeZone: (name: string) => api('DELETE', `/${name}.`, {}),
    /** Replaces a set of records; an empty one is deleted. Contents are as in zone files. */
    async setRecords(zone: string, { name, type, contents }: RecordSet): Promise<void> {
      const change = contents.length === 0 ? { changetype: 'DELETE' } : { changetype: 'REPLACE', ttl: TTL };
      const records = contents.map((content) => ({ content, disabled: false }));
      await api('PATCH', `/${zone}.`, { rrsets: [{ name: `${name}.`, type, ...change, records }] });
    },
    resolver(): Resolver {
      const resolver = new Resolver({ timeout: 2_000, tries: 2 });
      resolver.setServers([`127.0.0.1:${port}`]);
      return resolver;
    },
    async stop(): Promise<void> {
      server.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type TestPowerDns = Awaited<ReturnType<typeof startPowerDns>>;

/** Free for datagrams: by these, `freePort` marks the ports that it has given. */
async function freeDatagramPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((done) => socket.close(done));
  return port;
}

function createDatabase(path: string, schema: string): void {
  const database = new DatabaseSync(path);
  database.exec(schema);
  database.close();
}
