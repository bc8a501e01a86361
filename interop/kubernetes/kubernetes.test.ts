import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { variables } from '../../packages/server/src/config/variables.ts';
import { type Config, parseConfig } from '../../packages/server/src/config.ts';
import { readApiDocument } from '../../test/setup/api-document.ts';
import { buildOverlays, exampleSecret, only, podOf, type Resource } from './manifests.ts';
import { unknownFields } from './unknown-fields.ts';

const overlays = buildOverlays(['production', 'staging']);
const secret = exampleSecret();
const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

for (const [name, resources] of overlays) {
  const { labels, pod, container } = podOf(only(resources, Deployment));
  const service = only(resources, Service);
  const policy = only(resources, NetworkPolicy).spec;
  const config = configOf(resources);
  const ports = new Map(container.ports?.map((port) => [port.name, port.containerPort]));
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];

  describe(`deploy/kubernetes/overlays/${name}`, () => {
    for (const resource of resources) {
      it(`fits the schema: ${resource.kind} ${resource.metadata?.name}`, () =>
        assert.deepEqual(unknownFields(resource), []));
    }

    it('holds no secret, and takes each variable that may hold one from the Secret', () => {
      assert.ok(resources.every(({ kind }) => kind !== 'Secret'));
      const references = (container.env ?? []).map(({ name: variable, value, valueFrom }) => {
        assert.equal(value, undefined, variable);
        assert.deepEqual([valueFrom?.secretKeyRef?.name, valueFrom?.secretKeyRef?.key], ['splwright', variable]);
        return variable;
      });
      const secrets = variables.filter(({ mayHoldSecrets }) => mayHoldSecrets).map((variable) => variable.name);
      assert.deepEqual(references.toSorted(), secrets.toSorted());
      assert.deepEqual(Object.keys(secret).toSorted(), secrets.toSorted());
    });

    it('sets only variables that the service reads', () => {
      const known = variables.map((variable) => variable.name);
      for (const variable of Object.keys(only(resources, ConfigMap).data ?? {})) assert.ok(known.includes(variable));
    });

    it('is the version of the packages', () =>
      assert.match(container.image ?? '', new RegExp(`splwright:${version}$`)));

    it('names the ports that the service listens on, and no other', () => {
      assert.deepEqual(Object.fromEntries(ports), { http: config.port, metrics: config.metricsPort ?? 9464 });
      assert.ok(service.spec?.ports?.every(({ targetPort }) => ports.has(String(targetPort))));
      const allowed = policy?.ingress?.flatMap((rule) => rule.ports ?? []).map(({ port }) => String(port));
      assert.deepEqual(allowed?.toSorted(), [...ports.keys()]);
    });

    it('selects its own pods, everywhere', () => {
      const selectors = [
        service.spec?.selector,
        only(resources, Deployment).spec?.selector.matchLabels,
        only(resources, PodDisruptionBudget).spec?.selector?.matchLabels,
        policy?.podSelector?.matchLabels,
        ...(pod.topologySpreadConstraints ?? []).map(({ labelSelector }) => labelSelector?.matchLabels),
      ];
      for (const selector of selectors) assert.deepEqual({ ...labels, ...selector }, labels);
      assert.ok(selectors.every((selector) => Object.keys(selector ?? {}).length > 0));
      const namespaces = resources
        .filter(({ kind }) => kind !== 'Namespace')
        .map(({ metadata }) => metadata?.namespace);
      assert.equal(new Set(namespaces).size, 1);
    });

    it('is asked where the service answers, for as long as an answer may take', async () => {
      const { paths } = (await readApiDocument(false)) as { paths: object };
      for (const probe of probes) {
        assert.ok(probe?.httpGet && String(probe.httpGet.path) in paths, probe?.httpGet?.path);
        assert.equal(probe.httpGet.port, 'http');
      }
      const [startup, liveness, readiness] = probes;
      assert.equal(readiness?.httpGet?.path, '/readyz');
      assert.ok(seconds(readiness?.timeoutSeconds) * 1_000 > config.requestDeadlineMs);
      // Nodes that are down are no reason to start again.
      for (const probe of [startup, liveness]) assert.equal(probe?.httpGet?.path, '/livez');
    });

    it('has the time to finish what it has taken, and is replaced before it stops', () => {
      const preStopMs = seconds(container.lifecycle?.preStop?.sleep?.seconds) * 1_000;
      assert.ok(preStopMs >= 5_000, 'the proxies of a cluster need seconds to hear of it');
      // docs/operation.md: a stop takes at most DRAIN_MS + REQUEST_DEADLINE_MS + 3 seconds.
      const stopMs = preStopMs + config.drainMs + config.requestDeadlineMs + 3_000;
      assert.ok(seconds(pod.terminationGracePeriodSeconds) * 1_000 > stopMs);
      const { strategy, replicas } = only(resources, Deployment).spec ?? {};
      assert.equal(strategy?.rollingUpdate?.maxUnavailable, 0);
      assert.equal(replicas, undefined, 'the autoscaler decides');
    });

    it('is scaled, and keeps replicas while machines are emptied', () => {
      const {
        scaleTargetRef,
        minReplicas = 0,
        maxReplicas = 0,
        metrics,
      } = only(resources, HorizontalPodAutoscaler).spec ?? {};
      const { apiVersion, kind, metadata } = only(resources, Deployment);
      assert.deepEqual(scaleTargetRef, { apiVersion, kind, name: metadata?.name });
      const unavailable = Number(only(resources, PodDisruptionBudget).spec?.maxUnavailable);
      assert.ok(unavailable >= 1 && minReplicas > unavailable && maxReplicas >= minReplicas);
      for (const { resource } of metrics ?? []) assert.ok(container.resources?.requests?.[String(resource?.name)]);
    });

    it('is what the image is made for', () => {
      const { runAsUser, runAsGroup } = pod.securityContext ?? {};
      assert.match(dockerfile, new RegExp(`^USER ${runAsUser}:${runAsGroup}$`, 'm'));
      assert.match(dockerfile, new RegExp(`^EXPOSE ${[...ports.values()].join(' ')}$`, 'm'));
      assert.deepEqual([config.host, config.metricsHost], ['0.0.0.0', '0.0.0.0'], 'pods are called from outside');
    });

    it('runs with few rights', () => {
      const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext ?? {};
      assert.deepEqual([runAsNonRoot, runAsUser, seccompProfile], [true, 1_000, { type: 'RuntimeDefault' }]);
      assert.equal(pod.automountServiceAccountToken, false);
      const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext ?? {};
      assert.deepEqual(
        [allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities],
        [false, true, { drop: ['ALL'] }],
      );
      assert.deepEqual([pod.volumes, pod.hostNetwork, container.volumeMounts], [undefined, undefined, undefined]);
    });

    it('may reach what the URLs of the Secret name', () => {
      const urls = Object.values(secret).flatMap((value) =>
        value
          .split(',')
          .filter((url) => URL.canParse(url))
          .map((url) => new URL(url)),
      );
      const allowed = policy?.egress?.flatMap((rule) => rule.ports ?? []).map(({ port }) => String(port));
      assert.ok(urls.length >= 3);
      for (const { protocol, port } of urls) assert.ok(allowed?.includes(port || '443'), protocol);
      assert.ok(allowed?.includes('53'));
      assert.deepEqual(policy?.policyTypes, ['Ingress', 'Egress']);
    });

    it('is read by Prometheus, which alone reaches the metrics', () => {
      const { selector, endpoints, jobLabel } = only(resources, ServiceMonitor).spec ?? {};
      assert.deepEqual(selector?.matchLabels, service.metadata?.labels);
      const served = service.spec?.ports?.map((port) => port.name);
      assert.ok(endpoints?.length && endpoints.every(({ port }) => served?.includes(port)));
      // The alert rules want this job.
      assert.equal(service.metadata?.labels?.[String(jobLabel)], 'splwright');
      const metrics = policy?.ingress?.filter((rule) => rule.ports?.some(({ port }) => port === 'metrics'));
      assert.ok(metrics?.length === 1 && metrics[0]?.from?.length);
    });

    it('believes a proxy only where nothing else may call', () => {
      const calls = policy?.ingress?.find((rule) => rule.ports?.some(({ port }) => port === 'http'));
      assert.equal(config.trustedProxies > 0, calls?.from !== undefined);
    });
  });
}

describe('the overlay of production', () => {
  it('does not start without Redis: its replicas share the rate limits', () => {
    const { container } = podOf(only(overlays.get('production') ?? [], Deployment));
    const redis = container.env?.find(({ name }) => name === 'REDIS_URL');
    assert.equal(redis?.valueFrom?.secretKeyRef?.optional, false);
  });
});

describe('docs/operate/kubernetes.md', () => {
  const text = readFileSync(new URL('../../docs/operate/kubernetes.md', import.meta.url), 'utf8').replaceAll(
    /\s+/g,
    ' ',
  );

  it('says how long a pod takes to end', () => {
    for (const resources of overlays.values()) {
      const { pod, container } = podOf(only(resources, Deployment));
      const sleep = seconds(container.lifecycle?.preStop?.sleep?.seconds);
      const { drainMs, requestDeadlineMs } = configOf(resources);
      assert.ok(text.includes(`serves as before for ${sleep} seconds`));
      // Nodes or the receiver of an event may hang.
      const workMs = Math.max(2 * requestDeadlineMs, 15_000);
      assert.ok(text.includes(`That is ${sleep + (drainMs + workMs) / 1_000 + 3} seconds at most`));
      assert.ok(text.includes(`\`terminationGracePeriodSeconds\` is ${pod.terminationGracePeriodSeconds}`));
    }
  });

  it('says how many replicas there are, and what each requests', () => {
    const resources = overlays.get('production') ?? [];
    const { minReplicas, maxReplicas } = only(resources, HorizontalPodAutoscaler).spec ?? {};
    assert.ok(text.includes(`${minReplicas} to ${maxReplicas}, by the processor time`));
    const { cpu, memory } = podOf(only(resources, Deployment)).container.resources?.requests ?? {};
    assert.deepEqual([cpu, memory], ['1', '512Mi']);
  });

  it('runs the command where the image has it', () => {
    const [, command] = /^ENTRYPOINT \["node", "(.+)"\]$/m.exec(dockerfile) ?? [];
    assert.equal([...text.matchAll(/ -- node (\S+) /g)].filter(([, path]) => path === command).length, 2);
  });

  it('applies an overlay that there is', () => {
    const applied = [...text.matchAll(/kubectl apply -k deploy\/kubernetes\/overlays\/(\w+)/g)].map(
      ([, name = '']) => name,
    );
    assert.ok(applied.length > 0 && applied.every((name) => overlays.has(name)));
  });
});

describe('what finds unknown fields', () => {
  it('finds them at any depth, and refuses a value of a wrong type', () => {
    const valid = { selector: { matchLabels: { app: 'x' } }, template: { spec: { containers: [{ name: 'x' }] } } };
    assert.deepEqual(unknownFields(new Deployment({ spec: valid })), []);
    const spec = { ...valid, template: { spec: { containers: [{ name: 'x', livenesProbe: {} }] } } };
    assert.deepEqual(unknownFields(new Deployment({ spec })), ['/spec/template/spec/containers/0/livenesProbe']);
    assert.throws(() => unknownFields(new Deployment(Object({ spec: { ...valid, paused: 'no' } }))), /must be boolean/);
  });
});

function configOf(resources: readonly Resource[]): Config {
  const ofImage = [...dockerfile.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) => line.split(' '));
  const environment = Object.fromEntries(ofImage.map((pair) => pair.split('=', 2)));
  const parsed = parseConfig({ ...environment, ...only(resources, ConfigMap).data, ...secret });
  if ('faults' in parsed) assert.fail(parsed.faults.join('\n'));
  return parsed.config;
}

const seconds = (value: number | undefined): number => value ?? 0;
