/** The control group of all workloads of a stack. The engine makes groups, and removes none but those of containers. */
export const workloadGroups = (stackId: string): string => `fairlead-${stackId}-workloads`;

/**
 * The control group of the workloads of an org, as the engine takes it for a container and makes it: groups beside each
 * other have equal parts of the CPU and of disks, so no org gets more of them by having more workloads. Null where the
 * engine makes no groups, such as one without root.
 */
export function workloadGroup(stackId: string, org: string, cgroupDriver: string): string | null {
  if (cgroupDriver === 'cgroupfs') return `/${workloadGroups(stackId)}/org.${org}`;
  // A dash is one level of slices; slugs of orgs have dashes and no underscores.
  if (cgroupDriver === 'systemd') return `fairlead_${stackId}_workloads-${org.replaceAll('-', '_')}.slice`;
  return null;
}
