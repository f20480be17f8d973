import type { SealedPlace, ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { StoredSecret, StoredSecrets } from '../../domain/config/ports.ts';
import type { SealedSecret } from '../../domain/config/sealed-secret.ts';
import { variableSets } from '../../domain/config/service-variables.ts';
import { certificateKeyContext } from '../../domain/custom-domains/certificates/certificate.ts';
import {
  ACCOUNT_KEY_CONTEXT,
  type AcmeAccounts,
  type CertificateRecords,
  KEY_PLACES,
} from '../../domain/custom-domains/certificates/stores.ts';
import { loginContext } from '../../domain/databases/login.ts';
import { type DatabaseRecords, LOGIN_PLACES } from '../../domain/databases/ports.ts';
import type { ReleaseStore } from '../../domain/deploys/release-store.ts';
import type { Environment } from '../../domain/environment.ts';
import { type ConnectionSecret, sealingContext, TOKEN_KEY } from '../../domain/git-hooks/connection.ts';
import type { GitConnectionStore } from '../../domain/git-hooks/ports.ts';
import { valueContext } from '../../domain/locker/item-values.ts';
import type { LockerStore } from '../../domain/locker/ports.ts';
import { credentialContext } from '../../domain/oauth-clients/credential.ts';

/** The variables of services, and the credentials of their clients. */
export function secretsOfServices(services: Pick<ServiceStore, 'list' | 'replaceSealed'>): StoredSecrets {
  return {
    async read(request) {
      const page = await services.list({ org: null }, request);
      return { items: page.items.flatMap((service) => secretsOf(services, service)), nextCursor: page.nextCursor };
    },
  };
}

function secretsOf(services: Pick<ServiceStore, 'replaceSealed'>, service: ServiceRecord): StoredSecret[] {
  const stored = (place: SealedPlace, context: StoredSecret['context'], secret: SealedSecret): StoredSecret => ({
    context,
    secret,
    replace: async (to) => void (await services.replaceSealed(service.id, place, { from: secret, to })),
  });
  const variables = variableSets(service).flatMap(({ environment, set }) =>
    Object.entries(set.secrets).map(([name, secret]) => {
      const context = { service: service.name, key: name, ...(environment === null ? {} : { environment }) };
      return stored({ kind: 'variable', environment, name }, context, secret);
    }),
  );
  const credentials = Object.entries(service.oauthCredentials).map(([key, { secret }]) => {
    const environment = key as Environment;
    return stored({ kind: 'credential', environment }, credentialContext(service.name, environment), secret);
  });
  return [...variables, ...credentials];
}

/** The secrets that releases keep, for a rollback to what they had. */
export function secretsOfReleases(releases: Pick<ReleaseStore, 'listAll' | 'replaceSecret'>): StoredSecrets {
  return {
    async read(request) {
      const page = await releases.listAll(request);
      const items = page.items.flatMap(({ id, service, environment, secrets }) =>
        Object.entries(secrets).map(([key, secret]) => ({
          context: { service, environment, key },
          secret,
          replace: async (to: SealedSecret) => void (await releases.replaceSecret(id, key, { from: secret, to })),
        })),
      );
      return { items, nextCursor: page.nextCursor };
    },
  };
}

/** Secrets of connections to git hosts, and their API tokens. */
export function secretsOfConnections(connections: Pick<GitConnectionStore, 'list' | 'replaceSealed'>): StoredSecrets {
  return {
    async read(request) {
      const page = await connections.list({ org: null }, request);
      const items = page.items.flatMap(({ id, secrets, token }) => {
        const stored = (place: ConnectionSecret, key: string, secret: SealedSecret): StoredSecret => ({
          context: sealingContext(id, key),
          secret,
          replace: async (to) => void (await connections.replaceSealed(id, place, { from: secret, to })),
        });
        return [
          ...secrets.map((secret) => stored({ kind: 'secret', id: secret.id }, secret.id, secret.sealed)),
          ...(token === null ? [] : [stored({ kind: 'token' }, TOKEN_KEY, token)]),
        ];
      });
      return { items, nextCursor: page.nextCursor };
    },
  };
}

/** Passwords of databases: of the login now, of one that a rotation has prepared, and of one that has not ended yet. */
export function secretsOfDatabases(records: Pick<DatabaseRecords, 'list' | 'reseal'>): StoredSecrets {
  return {
    async read(request) {
      const page = await records.list(request);
      const items = page.items.flatMap((record) =>
        LOGIN_PLACES.flatMap((place): StoredSecret[] => {
          const login = record[place];
          if (login === null) return [];
          const replace = async (password: SealedSecret) =>
            void (await records.reseal(record.id, place, login, { ...login, password }));
          return [{ context: loginContext(record, login.user), secret: login.password, replace }];
        }),
      );
      return { items, nextCursor: page.nextCursor };
    },
  };
}

/** Keys of certificates: of those that are served, and of those that are on order. */
export function secretsOfCertificates(records: Pick<CertificateRecords, 'list' | 'reseal'>): StoredSecrets {
  return {
    async read(request) {
      const page = await records.list(request);
      const items = page.items.flatMap((record) =>
        KEY_PLACES.flatMap((place): StoredSecret[] => {
          const from = record[place]?.key;
          if (from === undefined) return [];
          const replace = (to: SealedSecret) => records.reseal(record, place, { from, to });
          return [{ context: certificateKeyContext(record), secret: from, replace }];
        }),
      );
      return { items, nextCursor: page.nextCursor };
    },
  };
}

/** Keys of accounts at certificate authorities. */
export function secretsOfAcmeAccounts(accounts: Pick<AcmeAccounts, 'list' | 'reseal'>): StoredSecrets {
  return {
    async read(request) {
      const page = await accounts.list(request);
      const items = page.items.map(({ directoryUrl, key: from }): StoredSecret => {
        const replace = (to: SealedSecret) => accounts.reseal(directoryUrl, { from, to });
        return { context: ACCOUNT_KEY_CONTEXT, secret: from, replace };
      });
      return { items, nextCursor: page.nextCursor };
    },
  };
}

/** The values of the locker, of orgs and of people. */
export function secretsOfLocker(items: Pick<LockerStore, 'listAll' | 'replaceValue'>): StoredSecrets {
  return {
    async read(request) {
      const page = await items.listAll(request);
      const values = page.items.flatMap((item) =>
        item.fields.map(({ name, value }) => ({
          context: valueContext(item, name),
          secret: value,
          replace: async (to: SealedSecret) => void (await items.replaceValue(item.id, name, { from: value, to })),
        })),
      );
      return { items: values, nextCursor: page.nextCursor };
    },
  };
}
