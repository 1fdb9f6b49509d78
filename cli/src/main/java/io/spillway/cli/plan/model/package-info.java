/**
 * What a job will take, by the number of memory nodes: a model without input or output. {@link
 * io.spillway.cli.plan.model.PlanInput} goes in, {@link io.spillway.cli.plan.model.MemoryPlan}
 * comes out; docs/plan.md has the formulas.
 */
package io.spillway.cli.plan.model;
