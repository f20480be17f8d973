import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RepositoryAccess } from '../../domain/authorized-orgs/ports.ts';

/** A git host to look at: it has the repositories `acme/shop` and `acme/notes` of the org `acme`. */
export interface HostUnderTest {
  readonly host: RepositoryAccess;
  /** As in `acme/shop helpers write`, sorted. */
  roles(): Promise<readonly string[]>;
  /** As in `usr_eve of helpers`. */
  members(): Promise<readonly string[]>;
}

/** What every {@link RepositoryAccess} guarantees. */
export function repositoryAccessSuite(create: () => Promise<HostUnderTest>): void {
  describe('RepositoryAccess', () => {
    const set = ({ host }: HostUnderTest, repository: string, role: 'none' | 'read' | 'write' | 'admin') =>
      host.setOrgRole({ repository, org: 'helpers', role });

    it('gives an org exactly one role on one repository, whatever it had', async () => {
      const under = await create();
      for (const role of ['read', 'admin', 'write', 'write'] as const) {
        await set(under, 'acme/shop', role);
        assert.deepEqual(await under.roles(), [`acme/shop helpers ${role}`]);
      }
    });

    it('takes the role, also where there is none, and leaves that on another repository', async () => {
      const under = await create();
      await set(under, 'acme/notes', 'read');
      await set(under, 'acme/shop', 'write');
      await set(under, 'acme/shop', 'none');
      await set(under, 'acme/shop', 'none');
      assert.deepEqual(await under.roles(), ['acme/notes helpers read']);
    });

    it('takes a repository that is not there for one without roles', async () => {
      const under = await create();
      await set(under, 'acme/gone', 'write');
      await set(under, 'acme/gone', 'none');
      assert.deepEqual(await under.roles(), []);
    });

    it('links a person once, however often', async () => {
      const under = await create();
      const member = { userId: 'usr_eve', email: 'eve@helpers.example', org: 'helpers' };
      await under.host.ensureMember(member);
      await under.host.ensureMember(member);
      assert.deepEqual(await under.members(), ['usr_eve of helpers']);
    });

    it('does nothing any more when it is aborted', async () => {
      const under = await create();
      const gone = AbortSignal.abort();
      await assert.rejects(under.host.setOrgRole({ repository: 'acme/shop', org: 'helpers', role: 'admin' }, gone));
      assert.deepEqual(await under.roles(), []);
    });
  });
}
