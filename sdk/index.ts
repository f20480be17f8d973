/** What a deployed service imports. */
export { FairleadError } from '../domain/errors.ts';
export type { AccessTokenClaims } from '../domain/identity/claims.ts';
export {
  type AuditClient,
  type AuditClientOptions,
  createAuditClient,
  type EmitOptions,
  type LostEvent,
} from './audit/audit-client.ts';
export type { AuditEventInput, EmitOutcome } from './audit/audit-event.ts';
export { type ComparisonVerdict, compareStatements } from './audit/compare-statements.ts';
export { type EvidenceVerdict, verifyEvidence } from './audit/evidence.ts';
export { type LeafLists, ledgerLists } from './audit/leaf-lists.ts';
export { LedgerRefusal } from './audit/ledger-connection.ts';
export { parseLedgerKey } from './audit/ledger-key.ts';
export type { ProofCheck } from './audit/proof-check.ts';
export { parseEvent, parseProof, parseReceipt } from './audit/proof-documents.ts';
export type { AuditEvent, AuditEventPage, AuditEventQuery, AuditVerdict } from './audit/read-ledger.ts';
export { parseStatement, type SignedStatement } from './audit/signed-statement.ts';
export { type DayInput, type DayVerdict, verifyDay } from './audit/verify-day.ts';
export { type ProofInput, type ProofVerdict, verifyProof } from './audit/verify-proof.ts';
export { type Middleware, userOf } from './auth/middleware.ts';
export { createServiceTokens, type ServiceTokens, type ServiceTokensOptions } from './auth/service-tokens.ts';
export { type PresentedTokens, type RequestWithHeaders, readTokens } from './auth/token-source.ts';
export {
  type Authenticated,
  createTokenVerifier,
  type TokenVerifier,
  type TokenVerifierOptions,
} from './auth/token-verifier.ts';
export { type FairleadUser, hasOrgRole, hasScope, isPlatformAdmin } from './auth/user.ts';
