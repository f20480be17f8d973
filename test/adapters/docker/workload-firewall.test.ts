import assert from 'node:assert/strict';
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { findEnginePrograms } from '../../../adapters/docker/build-engine/engine-programs.ts';
import { LABELS, labelFilter } from '../../../adapters/docker/labels.ts';
import { containerShell, rootShell } from '../../../adapters/docker/machine-shell.ts';
import { createWorkloadFirewall, type WorkloadFirewallOptions } from '../../../adapters/docker/workload-firewall.ts';
import { networkName } from '../../../adapters/docker/workload-names.ts';
import { ensureNetwork, stackNetworks } from '../../../adapters/docker/workload-network.ts';
import { patience } from '../../support/patience.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createTestStack, docker, env, stopChild, type TestStack, testStandIns } from './engine-fixture.ts';

const [machine = ''] = Object.values(networkInterfaces())
  .flatMap((rows) => rows ?? [])
  .filter(({ family, internal }) => family === 'IPv4' && !internal)
  .map(({ address }) => address);
const shell = rootShell(env);
const signal = () => patience();
/** Of one stack: other tests change those of theirs meanwhile. */
const rulesOf = (stackId: string) =>
  execFileSync('iptables', ['--wait', '-S'], { encoding: 'utf8' })
    .split('\n')
    .filter((rule) => rule.includes(`FL-${stackId}-`));

/** A host of a private network that this machine reaches: a network namespace behind a pair of interfaces. */
const id = randomBytes(2);
const subnet = `10.213.${id[0]}`;
const PRIVATE = {
  ...{ name: `fl-${id.toString('hex')}`, link: `br-${id.toString('hex')}`, peer: `fl${id.toString('hex')}b` },
  ...{ subnet: `${subnet}.0/24`, here: `${subnet}.1`, there: `${subnet}.2`, port: 4999 },
};

describe('the firewall of workloads', () => {
  let stack: TestStack;
  let server: Server;
  let port: number;
  let container: import('dockerode').Container;
  let gateway = '';
  let privateHost: ChildProcessByStdio<null, Readable, null>;

  before(async () => {
    stack = await createTestStack();
    await testStandIns().provide('alpine:latest');
    await ensureNetwork(docker, stack.stackId);
    const [network] = await stackNetworks(docker, stack.stackId);
    gateway = (await docker.getNetwork(network?.Id ?? '').inspect()).IPAM?.Config?.[0]?.Gateway ?? '';
    server = createServer((socket) => socket.end('machine'));
    await once(server.listen(0, '0.0.0.0'), 'listening');
    port = (server.address() as AddressInfo).port;
    container = await docker.createContainer({
      ...{ Image: 'alpine:latest', Cmd: ['sleep', '600'], Labels: { 'fairlead.stack': stack.stackId } },
      HostConfig: { NetworkMode: networkName(stack.stackId) },
    });
    await container.start();
    await withPrivateHost();
  });
  after(async () => {
    await stopChild(privateHost);
    execFileSync('ip', ['netns', 'delete', PRIVATE.name]);
    server.close();
    await firewall().remove(signal());
    await stack.dispose();
  });

  const firewall = (changes: Partial<WorkloadFirewallOptions> = {}) =>
    createWorkloadFirewall({
      ...{ docker, stackId: stack.stackId, shell, open: [], routerPort: null },
      ...{ volatileFolder: null, ...changes },
    });
  /** True when the command succeeds in the container. */
  const run = async (command: string): Promise<boolean> => {
    const exec = await container.exec({ Cmd: ['sh', '-c', command] });
    (await exec.start({ Detach: true })).destroy();
    const { succeeded } = await waitUntil(`the end of ${command}`, async () => {
      const { Running, ExitCode } = await exec.inspect();
      return Running ? null : { succeeded: ExitCode === 0 };
    });
    return succeeded;
  };
  const reaches = (host: string, at: number): Promise<boolean> => run(`nc -w 2 ${host} ${at} < /dev/null`);
  const reached = async () => ({
    gateway: await reaches(gateway, port),
    machine: await reaches(machine, port),
    private: await reaches(PRIVATE.there, PRIVATE.port),
  });

  it('keeps them from this machine and from private networks, which they reach without it', async () => {
    assert.deepEqual(await reached(), { gateway: true, machine: true, private: true });
    await firewall().renew(signal());
    assert.deepEqual(await reached(), { gateway: false, machine: false, private: false });
  });

  it('keeps datagrams and pings from them as well', async () => {
    const heard: string[] = [];
    // It asks for a file: a code of two bytes, and the name.
    const take = (request: Buffer): void => void heard.push(request.toString('latin1', 2, request.indexOf(0, 2)));
    const listening = createSocket('udp4').on('message', take);
    await once(listening.bind(0, '0.0.0.0'), 'listening');
    const at = listening.address().port;
    const send = async (word: string): Promise<void> => {
      const sends = [gateway, machine].map((host) => `timeout 1 tftp -g -r ${word}-${host} ${host} ${at} &`);
      await run(`${sends.join(' ')} wait`);
    };
    const pings = async (): Promise<boolean[]> => {
      const answers: boolean[] = [];
      for (const host of [machine, PRIVATE.there]) answers.push(await run(`ping -c 1 -W 1 ${host}`));
      return answers;
    };
    try {
      await firewall().remove(signal());
      await send('open');
      await waitUntil('the datagrams of before', () => new Set(heard).size === 2);
      assert.deepEqual(await pings(), [true, true]);
      await firewall().renew(signal());
      await send('closed');
      assert.deepEqual(await pings(), [false, false]);
      await firewall({ open: [{ network: `${machine}/32`, port: at }] }).renew(signal());
      await run(`timeout 1 tftp -g -r opened ${machine} ${at}`);
      await waitUntil('the datagram of the port that is open', () => heard.includes('opened'));
      assert.deepEqual(new Set(heard), new Set([`open-${gateway}`, `open-${machine}`, 'opened']));
    } finally {
      listening.close();
    }
  });

  it('lets through what the operator opened, and the router where it is public', async () => {
    await firewall({ open: [{ network: PRIVATE.subnet, port: PRIVATE.port }], routerPort: port }).renew(signal());
    assert.deepEqual(await reached(), { gateway: true, machine: true, private: true });
    await firewall({ open: [{ network: PRIVATE.subnet, port: 1 }] }).renew(signal());
    assert.deepEqual(await reached(), { gateway: false, machine: false, private: false });
  });

  it('renewed, has each rule once, and sets again what another program took away', async () => {
    await firewall().renew(signal());
    const before = rulesOf(stack.stackId);
    assert.ok(before.length > 10);
    await Promise.all([firewall().renew(signal()), firewall().renew(signal())]);
    await firewall().renew(signal());
    assert.deepEqual(rulesOf(stack.stackId), before);
    execFileSync('iptables', ['--wait', '-F', `FL-${stack.stackId}-IN`]);
    assert.equal(await reaches(gateway, port), true);
    await firewall().renew(signal());
    assert.equal(await reaches(gateway, port), false);
  });

  it('opens the name servers that the engine gives to containers, as behind the stub of systemd', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-firewall-'));
    t.after(() => rm(folder, { recursive: true }));
    const files = [join(folder, 'resolv.conf'), join(folder, 'behind-the-stub.conf'), join(folder, 'missing.conf')];
    await writeFile(files[0] ?? '', 'nameserver 127.0.0.53\noptions edns0\n');
    await writeFile(files[1] ?? '', `nameserver ${PRIVATE.there}\n`);
    await firewall({ resolverFiles: files }).renew(signal());
    const opened = rulesOf(stack.stackId).filter((rule) => rule.includes('--dport 53 -j RETURN'));
    assert.equal(opened.filter((rule) => rule.includes(`-d ${PRIVATE.there}/32`)).length, 4, opened.join('\n'));
  });

  it('leaves no rule when it is removed, wherever an earlier one led into its chains', async () => {
    await firewall().renew(signal());
    execFileSync('iptables', ['--wait', '-I', 'FORWARD', '-i', 'fl-gone', '-j', `FL-${stack.stackId}-OUT`]);
    await firewall().remove(signal());
    assert.deepEqual(rulesOf(stack.stackId), []);
  });

  it('is removed by two at once', async () => {
    for (let round = 0; round < 8; round += 1) {
      await firewall().renew(signal());
      await Promise.all([firewall().remove(signal()), firewall().remove(signal())]);
      assert.deepEqual(rulesOf(stack.stackId), []);
    }
  });

  it('leaves what this machine begins, and everything of others', async () => {
    const listening = await container.exec({ Cmd: ['nc', '-ll', '-p', '4000', '-e', 'echo', 'answered'] });
    (await listening.start({ Detach: true })).destroy();
    const { NetworkSettings } = await container.inspect();
    const host = NetworkSettings.Networks[networkName(stack.stackId)]?.IPAddress ?? '';
    const answer = () => text(connect({ host, port: 4000 })).catch(() => null);
    assert.equal(await waitUntil('its answer', answer), 'answered\n');
    const others = await docker.createContainer({
      Image: 'alpine:latest',
      Cmd: ['sh', '-c', `nc -w 2 172.17.0.1 ${port} < /dev/null`],
    });
    await others.start();
    const { StatusCode } = await others.wait();
    await others.remove();
    assert.equal(StatusCode, 0);
  });

  it('is set by a container where this process is not root', async () => {
    await firewall().remove(signal());
    assert.deepEqual(rulesOf(stack.stackId), []);
    const { folders } = await findEnginePrograms();
    const image = async () => 'alpine:latest';
    const inContainer = containerShell({ docker, stackId: stack.stackId, image, folders });
    await firewall({ shell: inContainer }).renew(signal());
    assert.deepEqual(await reached(), { gateway: false, machine: false, private: false });
    await assert.rejects(inContainer('echo why >&2; exit 3', signal()), /why/);
  });

  it('in a container, waits for the lock that other programs of the machine hold', async (t) => {
    const lock = '/run/xtables.lock';
    const holder = spawn('flock', [lock, 'sh', '-c', 'echo held; cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
    t.after(() => stopChild(holder));
    await once(holder.stdout, 'data');
    const { folders } = await findEnginePrograms();
    const inContainer = containerShell({ docker, stackId: stack.stackId, image: async () => 'alpine:latest', folders });
    await assert.rejects(inContainer(`flock --nonblock ${lock} true`, signal()));
    const ended = once(holder, 'exit');
    holder.stdin.end();
    await ended;
    await inContainer(`flock --nonblock ${lock} true`, signal());
  });

  it('removes the container that a killed worker left', async () => {
    const left = await docker.createContainer({
      ...{ Image: 'alpine:latest', Cmd: ['true'] },
      Labels: { [LABELS.stack]: stack.stackId, [LABELS.task]: 'machine-shell' },
    });
    await left.start();
    await left.wait();
    const { folders } = await findEnginePrograms();
    await containerShell({ docker, stackId: stack.stackId, image: async () => 'alpine:latest', folders })(
      'true',
      signal(),
    );
    const filters = labelFilter(stack.stackId, { [LABELS.task]: 'machine-shell' });
    assert.deepEqual(await docker.listContainers({ all: true, filters }), []);
  });

  async function withPrivateHost(): Promise<void> {
    const { name, link, peer, here, there, port: at } = PRIVATE;
    const commands = [
      `ip netns add ${name}`,
      `ip link add ${link} type veth peer name ${peer} netns ${name}`,
      `ip addr add ${here}/24 dev ${link} && ip link set ${link} up`,
      `ip -n ${name} addr add ${there}/24 dev ${peer} && ip -n ${name} link set ${peer} up && ip -n ${name} route add default via ${here}`,
    ];
    execFileSync('sh', ['-ec', commands.join('\n')]);
    const program = `require('net').createServer((s) => s.end('private')).listen(${at}, () => console.log('listening'))`;
    privateHost = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(privateHost.stdout, 'data');
  }
});
