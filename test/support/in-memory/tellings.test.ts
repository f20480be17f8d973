import { deployCommandsSuite } from '../../ports/deploy-commands.ts';
import { platformAuditSuite } from '../../ports/platform-audit.ts';
import { workflowDirectorySuite } from '../../ports/workflow-directory.ts';
import { createInMemoryDeployCommands } from './deploy-commands.ts';
import { createInMemoryAudit } from './platform-audit.ts';
import { createInMemoryWorkflows } from './workflow-directory.ts';

platformAuditSuite(() => {
  const audit = createInMemoryAudit();
  return {
    audit,
    told: async (entityId) =>
      audit
        .told()
        .filter((event) => event.entityId === entityId)
        .map(({ key: _, ...event }) => event),
  };
});

const directory = createInMemoryWorkflows();

workflowDirectorySuite(() => ({
  directory,
  start: async (workflowId) => directory.start(workflowId),
  end: async (workflowId) => directory.end(workflowId),
  wasGranted: async (workflowId) => directory.wasGranted(workflowId),
  whenPruning: (work) => directory.whenPruning(work),
  cleanUpRun: async (buildId) => directory.cleanUps().find((each) => each === buildId) ?? null,
}));

const commands = createInMemoryDeployCommands();

deployCommandsSuite(() => ({
  commands,
  whileHeld: (body) => body(),
  end: async (buildId) => commands.end(buildId),
}));
