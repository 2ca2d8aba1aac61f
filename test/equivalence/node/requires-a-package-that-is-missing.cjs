require('of-nobody');
