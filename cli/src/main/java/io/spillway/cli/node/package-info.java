/** Commands about node processes. */
package io.spillway.cli.node;
