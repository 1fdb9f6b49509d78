/** What tasks ask the placement service. */
package io.spillway.placement.client;
