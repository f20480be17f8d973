import type { GateSkip } from '../gate.ts';

/** A service that the operator names. */
export const namedService: GateSkip = ({ service, settings }) =>
  settings.skipServices.includes(service) ? `DEPLOY_GATE_SKIP_SERVICES names ${service}` : null;
