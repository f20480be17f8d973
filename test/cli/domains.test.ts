import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { INGRESS } from '../support/custom-domains-parts.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { type CliResult, runCli, startCli } from './run-cli.ts';

const HERE = { type: 'A', content: INGRESS } as const;

/** The commands against a real builder, with the rules of names in this process. */
describe('fairlead domain', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    await api.services.upsert({ id: 'svc_blog', name: 'blog', org: 'globex' }, {});
  });
  after(() => api.stop());

  const run = (...args: string[]): Promise<CliResult> =>
    runCli({ url: api.address }, ['domain', ...args], { env: { FAIRLEAD_KEY: KEY } });

  it('add prints the state, the reason and the record as a line to paste', async () => {
    const { code, stdout, stderr } = await run('add', 'shop.cli-add.com', '--service', 'shop');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^shop\.cli-add\.com of shop \(prod\): pending-dns$/m);
    assert.match(stdout, new RegExp(`^shop\\.cli-add\\.com\\. A ${INGRESS}$`, 'm'));
    assert.match(stdout, /ns1\.registrar\.net has no address record/);
  });

  it('add with --json gives the document alone', async () => {
    const { code, stdout } = await run('add', 'shop.cli-json.com', '--service', 'shop', '--json');
    assert.equal(code, 0);
    const { domain, records } = JSON.parse(stdout).data;
    assert.deepEqual([domain, records], ['shop.cli-json.com', [{ type: 'A', name: domain, value: INGRESS }]]);
  });

  it('a bad name is exit 2 with the remedy, one that another has is exit 6, and one that nobody has exit 3', async () => {
    const bad = await run('add', 'https://x.com', '--service', 'shop');
    assert.deepEqual([bad.code, /leave out what stands before the name/.test(bad.stderr)], [2, true], bad.stderr);
    await run('add', 'taken.cli.com', '--service', 'shop');
    const taken = await run('add', 'taken.cli.com', '--service', 'blog');
    assert.equal(taken.code, 6, taken.stderr);
    assert.match(taken.stderr, /publish TXT _fairlead\.taken\.cli\.com fairlead-verify=/);
    for (const command of ['status', 'verify', 'doctor']) {
      assert.equal((await run(command, 'never.cli.com')).code, 3, command);
    }
    assert.equal((await run('remove', 'never.cli.com', '--yes')).code, 3);
  });

  it('status tells until when the certificate is good, and when it was seen served', async () => {
    const domain = 'dated.cli.com';
    await run('add', domain, '--service', 'shop');
    api.names.dns.lead(domain, HERE);
    const [notAfter, servedAt] = ['2027-01-01T00:00:00.000Z', new Date().toISOString()];
    api.names.certificates.states.set(domain, { state: 'served', reason: null, notAfter, servedAt });
    for (let looks = 0; looks < 2; looks += 1) await run('verify', domain);
    const { stdout } = await run('status', domain);
    assert.match(stdout, /^its certificate is good until 2027-01-01T00:00:00\.000Z, seen served .*(s ago|now)$/m);
  });

  it('two modes at once are refused', async () => {
    const { code, stderr } = await run('add', 'two.cli.com', '--service', 'shop', '--direct', '--external');
    assert.equal(code, 2, stderr);
  });

  it('add --wait ends once the name is served', async () => {
    const domain = 'wait.cli.com';
    const running = startCli({ url: api.address }, ['domain', 'add', domain, '--service', 'shop', '--wait'], {
      env: { FAIRLEAD_KEY: KEY },
    });
    api.names.dns.lead(domain, HERE);
    const { code, stdout, stderr } = await running.done;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /wait\.cli\.com of shop \(prod\): active/);
  });

  it('doctor compares expected and seen, with exit 1 until the name is served', async () => {
    const domain = 'doctor.cli.com';
    api.names.dns.lead(domain, { type: 'A', content: '198.51.100.9' });
    await run('add', domain, '--service', 'shop');
    const before = await run('doctor', domain);
    assert.equal(before.code, 1, before.stderr);
    assert.match(before.stdout, new RegExp(`expected: ${INGRESS}\\nseen: A 198\\.51\\.100\\.9`));
    assert.match(before.stdout, /ns2\.registrar\.net has A 198\.51\.100\.9/);
    api.names.dns.lead(domain, HERE);
    await run('verify', domain);
    await run('verify', domain);
    const served = await run('doctor', domain);
    assert.deepEqual([served.code, /doctor\.cli\.com is served/.test(served.stdout)], [0, true], served.stdout);
  });

  it('list shows names of a service, and remove asks first', async () => {
    await run('add', 'listed.cli-list.com', '--service', 'blog');
    const listed = await run('list', '--service', 'blog');
    assert.match(listed.stdout, /listed\.cli-list\.com .*pending-dns/);
    assert.doesNotMatch(listed.stdout, /taken\.cli\.com/);
    const refused = await run('remove', 'listed.cli-list.com');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /will lead to blog \(prod\) no more/);
    const removed = await run('remove', 'listed.cli-list.com', '--yes');
    assert.deepEqual([removed.code, removed.stdout.trim()], [0, 'listed.cli-list.com is removed']);
    assert.equal((await run('status', 'listed.cli-list.com')).code, 3);
  });
});
