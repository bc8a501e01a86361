import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Secret, Service, ServiceAccount } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';

const folder = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));

/** A resource of the cluster, which its schema checks. */
export type Resource =
  | ConfigMap
  | Deployment
  | HorizontalPodAutoscaler
  | Namespace
  | NetworkPolicy
  | PodDisruptionBudget
  | Secret
  | Service
  | ServiceAccount
  | ServiceMonitor;

/** The resources of each overlay, by its name, as kustomize builds them. Compiles kustomize first. */
export function buildOverlays(names: readonly string[]): ReadonlyMap<string, readonly Resource[]> {
  const tools = mkdtempSync(join(tmpdir(), 'splwright-kustomize-'));
  try {
    const program = join(tools, 'kustomize');
    execFileSync('go', ['build', '-o', program, '.'], { cwd: fileURLToPath(new URL('.', import.meta.url)) });
    const build = (name: string): string =>
      execFileSync(program, [join(folder, 'overlays', name)], { encoding: 'utf8' });
    return new Map(names.map((name) => [name, readResources(build(name))]));
  } finally {
    rmSync(tools, { recursive: true });
  }
}

/** The values of the Secret that stands as an example next to the overlays. */
export function exampleSecret(): Readonly<Record<string, string>> {
  const resources = readResources(readFileSync(join(folder, 'secret.example.yaml'), 'utf8'));
  return only(resources, Secret).stringData ?? {};
}

/** The one resource of a kind. Throws when there is none, or another. */
export function only<T extends Resource>(resources: readonly Resource[], kind: new () => T): T {
  const [found, ...others] = resources.flatMap((resource: object) => (resource instanceof kind ? [resource] : []));
  assert.ok(found && others.length === 0, `one ${kind.name}`);
  return found;
}

/** The one container of a Deployment, and the pod around it. */
export function podOf({ spec }: IDeployment) {
  const pod = spec?.template.spec;
  const [container, ...others] = pod?.containers ?? [];
  assert.ok(pod && container && others.length === 0, 'one container');
  return { labels: spec?.template.metadata?.labels ?? {}, pod, container };
}

function readResources(text: string): readonly Resource[] {
  return parseAllDocuments(text, { strict: true }).map((document) => {
    assert.deepEqual(document.errors, []);
    const resource: unknown = document.toJS();
    if (ConfigMap.is(resource)) return new ConfigMap(resource);
    if (Deployment.is(resource)) return new Deployment(resource);
    if (HorizontalPodAutoscaler.is(resource)) return new HorizontalPodAutoscaler(resource);
    if (Namespace.is(resource)) return new Namespace(resource);
    if (NetworkPolicy.is(resource)) return new NetworkPolicy(resource);
    if (PodDisruptionBudget.is(resource)) return new PodDisruptionBudget(resource);
    if (Secret.is(resource)) return new Secret(resource);
    if (Service.is(resource)) return new Service(resource);
    if (ServiceAccount.is(resource)) return new ServiceAccount(resource);
    if (ServiceMonitor.is(resource)) return new ServiceMonitor(resource);
    throw new TypeError(`no kind that is known here: ${document}`);
  });
}
