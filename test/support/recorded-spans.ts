import { type Attributes, context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

export interface RecordedSpan {
  readonly name: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly attributes: Attributes;
  readonly status: unknown;
  readonly events: unknown;
}

/** Installs the OpenTelemetry SDK in this process and records finished spans. */
export function recordSpans(): { readonly finished: readonly RecordedSpan[]; end(): void } {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    get finished() {
      return exporter.getFinishedSpans().map((span) => ({
        ...{ name: span.name, attributes: span.attributes, status: span.status, events: span.events },
        ...{ parent: span.parentSpanContext?.spanId, id: span.spanContext().spanId },
      }));
    },
    end() {
      trace.disable();
      context.disable();
    },
  };
}
