/**
 * The checks of the NodeManagers of a cluster, by what they and the ResourceManager say over HTTP.
 */
package io.spillway.cli.doctor.yarn;
