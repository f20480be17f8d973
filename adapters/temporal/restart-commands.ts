import type { Client } from '@temporalio/client';
import { REQUEST_RESTART } from '../../domain/deploys/messages.ts';
import type { RestartCommands } from '../../domain/deploys/restart.ts';
import { answered } from './answered.ts';
import { startCoordinator } from './start-coordinator.ts';
import { updateWithStart } from './update-with-start.ts';

/** Asks the coordinators of services for restarts. */
export function createRestartCommands(client: Client): RestartCommands {
  return {
    restart: (request) =>
      answered(client, () =>
        updateWithStart(client, {
          start: startCoordinator(request),
          update: REQUEST_RESTART,
          // One that was busy is asked again under the same build: each time is an update of its own.
          updateId: `restart/${request.buildId}/${request.requestedAt}`,
          arg: request,
        }),
      ),
  };
}
