import { auditRecorderSuite } from '../../ports/audit-recorder.ts';
import { deployCommandsSuite } from '../../ports/deploy-commands.ts';
import { workflowDirectorySuite } from '../../ports/workflow-directory.ts';
import { createInMemoryAudit } from './audit-recorder.ts';
import { createInMemoryDeployCommands } from './deploy-commands.ts';
import { createInMemoryWorkflows } from './workflow-directory.ts';

auditRecorderSuite(() => {
  const audit = createInMemoryAudit();
  return { audit, told: async (subject) => audit.told().filter(({ entityId }) => entityId === subject) };
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
  begun: async () => undefined,
  end: async (buildId) => commands.end(buildId),
}));
