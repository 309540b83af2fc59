import { metrics } from '@opentelemetry/api';
import { expectTypeOf } from 'expect-type';
import { Registry } from 'prom-client';
import { Purgatory, SystemTimer } from 'purgatory';
import { registerMetrics } from 'purgatory/metrics';
import { ThresholdPurgatory } from 'purgatory/threshold';

// Registries and meters are those of the user's own clients.
const purgatories = [new Purgatory('one'), new ThresholdPurgatory('two')];
expectTypeOf(registerMetrics(new Registry(), { purgatories })).toEqualTypeOf<() => void>();
registerMetrics(metrics.getMeter('purgatory'), { purgatories, timers: [new SystemTimer()] });
// @ts-expect-error neither a registry nor a meter
registerMetrics({}, { purgatories });
