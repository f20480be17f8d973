import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mayReadAsOwner, ownerEntry, parseGitOwner } from '../../../domain/deploys/git-credential.ts';
import { parseGitUrl } from '../../../domain/deploys/git-url.ts';
import { FairleadError } from '../../../domain/errors.ts';

const HOST = 'https://git.example:3000';

interface Asked {
  readonly gitUrl?: string;
  readonly owners?: readonly string[];
  readonly org?: string;
}

/** Whether acme is given the installation's token for an address; the code where the address itself is refused. */
function decide(address: string, { gitUrl = HOST, owners = [], org = 'acme' }: Asked = {}): boolean | string {
  try {
    const target = parseGitUrl(address, gitUrl);
    if (target.kind === 'local') return false;
    const entries = owners.flatMap((entry) => parseGitOwner(entry) ?? assert.fail(entry));
    return mayReadAsOwner({ org, target, base: target.ofPlatform ? gitUrl : null }, entries);
  } catch (error) {
    assert.ok(error instanceof FairleadError, String(error));
    return error.code;
  }
}

describe('whose token reads a repository', () => {
  it('an org reads what lies below the owner of its name, however the address is spelled', () => {
    for (const address of [
      `${HOST}/acme/app`,
      `${HOST}/acme/app.git`,
      `${HOST}/acme/app/`,
      `${HOST}/Acme/App.GIT`,
      `${HOST}/acme/team/app`,
      `${HOST}/acme/.github`,
      'HTTPS://GIT.EXAMPLE:3000/acme/app',
      `${HOST}/beta/../acme/app`,
      `${HOST}/./acme/app`,
      'git@git.example:acme/app.git',
      'ssh://git@git.example:22/acme/app.git',
      'https://github.com/acme/app',
    ]) {
      assert.equal(decide(address), true, address);
    }
  });

  it('no spelling reaches the repository of another owner', () => {
    for (const [address, outcome = false] of [
      [`${HOST}/beta/app`],
      [`${HOST}/acme/../beta/app`],
      [`${HOST}/acme/%2e%2e/beta/app`],
      [`${HOST}/acme/.%2E/beta/app`],
      [`${HOST}/acme/..%2fbeta/app`],
      [`${HOST}/acme/%2e%2e%2fbeta/app`],
      [`${HOST}/acme%2f..%2fbeta/app`],
      [`${HOST}/acme/..;/beta/app`],
      [`${HOST}/acme/..\\beta/app`],
      [`${HOST}/acme%5c..%5cbeta/app`],
      [`${HOST}/acme//../../beta/app`],
      [`${HOST}//acme/app`],
      [`${HOST}/acme//app`],
      [`${HOST}/acme/%00/app`],
      [`${HOST}/%61cme/app`],
      [`${HOST}/acme%20/app`],
      [`${HOST}/acme%2fapp`],
      [`${HOST}/acme;x/app`],
      [`${HOST}/acme,beta/app`],
      [`${HOST}/acme`],
      [`${HOST}/acme.git`],
      [`${HOST}/acme.git/app`],
      [`${HOST}/acmes/app`],
      [`${HOST}/acme-inc/app`],
      [`${HOST}/xacme/app`],
      [`${HOST}/beta/acme/app`],
      [`${HOST}/аcme/app`],
      [`${HOST}/beta/app/../../acme/../beta/app`],
      ['git@git.example:beta/app.git'],
      ['git@git.example:acme/../beta/app.git'],
      ['ssh://git@git.example/beta/app.git'],
      ['https://github.com/beta/app'],
      ['/acme/app'],
      ['file:///acme/app'],
      [`https://acme@git.example:3000/beta/app`, 'SOURCE_REFUSED'],
      [`https://x:y@git.example:3000/acme/app`, 'SOURCE_REFUSED'],
      [`${HOST}/beta/app?owner=/acme/app`, 'SOURCE_REFUSED'],
      [`${HOST}/beta/app#/acme/app`, 'SOURCE_REFUSED'],
      [`ext::git ${HOST}/acme/app`, 'SOURCE_REFUSED'],
      [`${HOST}/acme\n/app`, 'SOURCE_REFUSED'],
    ] as const) {
      assert.equal(decide(address), outcome, address);
    }
  });

  it('below a path of the host, owners come after that path', () => {
    const gitUrl = 'https://git.example/code/';
    const rows: readonly [string, boolean][] = [
      ['https://git.example/code/acme/app', true],
      ['https://git.example/acme/app', false],
      ['https://git.example/code/../acme/app', false],
      ['https://git.example/codes/acme/app', false],
      ['https://git.example/code/beta/app', false],
    ];
    for (const [address, allowed] of rows) assert.equal(decide(address, { gitUrl }), allowed, address);
  });

  it('GIT_OWNERS adds owners, groups, single repositories and whole hosts, for one org or each', () => {
    const rows: readonly [owners: string, address: string, allowed: boolean][] = [
      ['acme=git.example:3000/acme-inc', `${HOST}/acme-inc/app`, true],
      ['acme=git.example:3000/Acme-Inc/', `${HOST}/ACME-inc/app.git`, true],
      ['acme=git.example:3000/acme-inc', `${HOST}/acme/app`, true],
      ['acme=git.example:3000/acme-inc', `${HOST}/acme-incs/app`, false],
      ['acme=git.example:3000/acme-inc', 'https://github.com/acme-inc/app', false],
      ['acme=git.example/acme-inc', `${HOST}/acme-inc/app`, false],
      ['acme=git.example:3000/beta/app', `${HOST}/beta/app.git`, true],
      ['acme=git.example:3000/beta/app.git', `${HOST}/beta/app`, true],
      ['acme=git.example:3000/beta/app', `${HOST}/beta/app/.git`, true],
      ['acme=git.example:3000/beta/app', `${HOST}/beta//.git`, false],
      ['acme=git.example:3000/beta/app', `${HOST}/beta/app2`, false],
      ['acme=git.example:3000/beta/app', `${HOST}/beta/app/../other`, false],
      ['acme=git.example:3000/group/team', `${HOST}/group/team/app`, true],
      ['acme=git.example:3000/group/team', `${HOST}/group/app`, false],
      ['acme=git.example:3000', `${HOST}/beta/app`, true],
      ['acme=git.example:3000', `${HOST}/beta%2fapp`, false],
      ['*=git.example:3000/shared', `${HOST}/shared/app`, true],
      ['beta=git.example:3000/beta', `${HOST}/beta/app`, false],
      ['acme=github.com/you', 'git@github.com:you/app.git', true],
    ];
    for (const [owners, address, allowed] of rows) {
      assert.equal(decide(address, { owners: [owners] }), allowed, `${owners} ${address}`);
    }
  });

  it('an owner that is named for one org is not that of an org with its name', () => {
    const owners = ['beta=git.example:3000/acme'];
    assert.equal(decide(`${HOST}/acme/app`, { owners }), false);
    assert.equal(decide(`${HOST}/acme/app`, { owners, org: 'beta' }), true);
    assert.equal(decide(`${HOST}/acme/app`, { owners: [...owners, 'acme=git.example:3000/acme'] }), true);
    assert.equal(decide(`${HOST}/acme/app`, { owners: ['beta=git.example:3000/acme/one'] }), true, 'one repository');
    assert.equal(decide(`${HOST}/acme/app`, { owners: ['beta=git.example:3000'] }), true, 'the host');
  });

  it('an entry names an org and a place, and nothing else', () => {
    for (const entry of [
      ...[
        '',
        'acme',
        '=',
        'acme=',
        '=git.example/acme',
        'Acme=git.example/x',
        '**=git.example',
        'acme=/x',
        'acme=//x/y',
      ],
      ...['acme=https://git.example/x', 'acme=git.example/%61', 'acme=git.example//x', 'acme=u:p@git.example/x'],
      ...['acme=git.example/x?y', 'acme=git.example/x#y', 'acme=git example/x'],
    ]) {
      assert.equal(parseGitOwner(entry), null, entry);
    }
    assert.deepEqual(parseGitOwner('*=GIT.example:443/A/b.git/'), { org: '*', host: 'git.example', path: ['a', 'b'] });
  });

  it('tells the entry that an operator would add', () => {
    const entryOf = (address: string, base: string | null) => {
      const target = parseGitUrl(address, base);
      assert.ok(target.kind === 'http');
      return ownerEntry('acme', target, base);
    };
    assert.equal(entryOf(`${HOST}/beta/app.git`, HOST), 'acme=git.example:3000/beta');
    assert.equal(
      entryOf('https://git.example/code/beta/app', 'https://git.example/code'),
      'acme=git.example/code/beta',
    );
    assert.equal(entryOf('git@github.com:you/app.git', null), 'acme=github.com/you');
  });
});
