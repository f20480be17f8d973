import type { GitConnection } from '../../../domain/git-hooks/connection.ts';
import type { GitDelivery } from '../../../domain/git-hooks/delivery.ts';
import type { DeployRule } from '../../../domain/git-hooks/rule.ts';

let made = 0;

const AT = new Date('2026-01-01T00:00:00.000Z');

export function ruleRecord(changes: Partial<DeployRule> = {}): DeployRule {
  return { kind: 'branch', pattern: 'main', environment: 'prod', paths: [], ...changes };
}

/** A connection of an org and a repository of its own, whose secret does not open. */
export function connectionRecord(changes: Partial<GitConnection> = {}): GitConnection {
  made += 1;
  const repository = `https://git.example/acme/repo-${made}.git`;
  return {
    id: `gcn_${made}`,
    org: 'acme',
    repository,
    repositoryKey: repository.replace(/\.git$/, ''),
    provider: 'gitea',
    proof: 'signature',
    apiUrl: null,
    services: [{ serviceId: 'svc_1', service: 'shop', rules: [ruleRecord()] }],
    secrets: [{ id: 'ghs_1', sealed: { keyId: 'k', sealed: 's' }, createdAt: AT }],
    token: null,
    tokenProblem: null,
    hookId: null,
    paused: false,
    pollMinutes: null,
    verifiedAt: null,
    lastDeliveryAt: null,
    refusedDeliveries: 0,
    lastRefusedAt: null,
    baselineAt: null,
    revision: 1,
    createdBy: 'usr_ada',
    createdAt: AT,
    updatedAt: AT,
    ...changes,
  };
}

/** A push that nobody has looked at. */
export function deliveryRecord(changes: Partial<GitDelivery> = {}): GitDelivery {
  made += 1;
  return {
    id: `gdl_${made}`,
    connectionId: 'gcn_1',
    kind: 'push',
    event: 'push',
    providerId: `delivery-${made}`,
    ref: 'refs/heads/main',
    claimedHead: null,
    login: 'ada',
    accountId: null,
    requestedBy: null,
    alreadySeen: false,
    receivedAt: new Date(),
    state: 'waiting',
    outcomes: [],
    ...changes,
  };
}
