/** The cluster's secret: by it nodes know each other, and under it secrets of jobs travel. */
package io.spillway.placement.secret;
