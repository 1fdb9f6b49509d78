/**
 * What was measured, for the model of {@link io.spillway.cli.plan.model}: costs of a machine read
 * from results of {@code spillway compare} and {@code spillway bench}, and the model's error.
 */
package io.spillway.cli.plan.measured;
