/**
 * What a job will take, by the number of memory nodes: a model without input or output. {@link
 * io.spillway.bench.plan.PlanInput} goes in, {@link io.spillway.bench.plan.MemoryPlan} comes out;
 * docs/plan.md has the formulas.
 */
package io.spillway.bench.plan;
