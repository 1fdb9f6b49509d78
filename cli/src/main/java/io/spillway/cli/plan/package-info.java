/** {@code spillway plan}. */
package io.spillway.cli.plan;
